import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { BulkReport } from "@/lib/contract/bulk";
import { api } from "../contract/setting";
import { data, keyCall, link, member, newLink, newOffice, type Office, staffCall } from "./setting";

afterAll(closePool);

const send = (office: Office, rows: unknown[], more: object = {}) =>
  keyCall(office, "POST", "/payment-links/bulk", { rows, ...more });
const report = async (office: Office, rows: unknown[], more: object = {}) =>
  data<BulkReport>(await send(office, rows, more));
const sendCsv = (office: Office, raw: string, query = "") =>
  api("POST", `/payment-links/bulk${query}`, {
    key: office.key,
    raw,
    headers: { "content-type": "text/csv; charset=utf-8" },
  });
const count = async (table: "payment_links" | "events", office: Office) =>
  (
    await pool().query<{ n: number }>(
      `select count(*)::int as n from ${table} where business_id = $1`,
      [office.businessId],
    )
  ).rows[0]?.n;

test("valid rows become links with their events, in the file's order; invalid ones are told in the 422's words", async () => {
  const office = await newOffice();
  const made = await report(office, [
    link({ reference: "A" }),
    link({ email: "ana", amount: 1, reference: "B" }),
    link({ title: "Third", send_email: true }),
  ]);
  expect(made).toMatchObject({
    dry_run: false,
    total: 3,
    created: 2,
    exists: 0,
    invalid: 1,
    valid: 0,
  });
  expect(made.rows.map(({ row, status }) => [row, status])).toEqual([
    [1, "created"],
    [2, "invalid"],
    [3, "created"],
  ]);
  const single = await keyCall(office, "POST", "/payment-links", link({ email: "ana", amount: 1 }));
  expect(made.rows[1]?.errors).toEqual(single.body.errors);
  const third = made.rows[2]?.payment_link;
  expect(data(await keyCall(office, "GET", `/payment-links/${third?._id}`))).toEqual(third);
  const listed = data<{ data: { _id: string }[] }>(await keyCall(office, "GET", "/payment-links"));
  expect(listed.data.map(({ _id }) => _id)).toEqual([third?._id, made.rows[0]?.payment_link?._id]);
  const events = data<{ data: { type: string; data: unknown }[] }>(
    await keyCall(office, "GET", "/events"),
  );
  expect(events.data.map(({ type }) => type)).toEqual([
    "payment_link.created",
    "payment_link.created",
  ]);
  expect(events.data.map((event) => event.data)).toContainEqual(third);
  const { rows } = await pool().query(
    "select mail from events where business_id = $1 order by seq",
    [office.businessId],
  );
  expect(rows).toEqual([{ mail: null }, { mail: "payment_link" }]);
});

test("a reference that is there already is not made twice, neither from before nor within the file; a deleted link's may be", async () => {
  const office = await newOffice();
  const before = await newLink(office, { reference: "OLD" });
  const gone = await newLink(office, { reference: "GONE" });
  data(await keyCall(office, "DELETE", `/payment-links/${gone}`));
  const made = await report(office, [
    link({ reference: "OLD" }),
    link({ reference: "NEW" }),
    link({ reference: "NEW" }),
    link({ reference: "GONE" }),
    link(),
    link(),
  ]);
  expect(made.rows.map(({ status }) => status)).toEqual([
    "exists",
    "created",
    "exists",
    "created",
    "created",
    "created",
  ]);
  expect(made.rows[0]?.payment_link?._id).toBe(before);
  expect(made.rows[2]?.payment_link?._id).toBe(made.rows[1]?.payment_link?._id);
  const again = await report(office, [link({ reference: "OLD" }), link({ reference: "NEW" })]);
  expect(again).toMatchObject({ created: 0, exists: 2 });
});

test("references sent as large numbers stay two: each payment is asked for", async () => {
  const office = await newOffice();
  const rows = ["9007199254740993", "9007199254740992", "1.50", "1.5"].map((number) =>
    JSON.stringify(link()).replace("{", `{"reference":${number},`),
  );
  const answer = await api("POST", "/payment-links/bulk", {
    key: office.key,
    raw: `{"rows":[${rows.join(",")}]}`,
  });
  const made = data<BulkReport>(answer);
  expect(made).toMatchObject({ created: 4, exists: 0 });
  expect(made.rows.map(({ payment_link }) => payment_link?.reference)).toEqual([
    "9007199254740993",
    "9007199254740992",
    "1.50",
    "1.5",
  ]);
});

test("the same file sent twice at once makes each link once", async () => {
  const office = await newOffice();
  const rows = Array.from({ length: 40 }, (_, index) => link({ reference: `R${index}` }));
  const reports = await Promise.all([
    report(office, rows),
    report(office, rows),
    report(office, rows),
  ]);
  expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(40);
  expect(await count("payment_links", office)).toBe(40);
});

test("a dry run makes nothing and says what would be", async () => {
  const office = await newOffice();
  expect(
    await report(
      office,
      [link({ reference: "A" }), link({ reference: "A" }), link({ currency: "ZZZ" })],
      { dry_run: true },
    ),
  ).toMatchObject({
    dry_run: true,
    created: 0,
    valid: 1,
    exists: 1,
    invalid: 1,
  });
  expect([await count("payment_links", office), await count("events", office)]).toEqual([0, 0]);
});

test("5,000 rows are taken in one call, 5,001 are a 422, 2 MiB a 413, and an idempotency key answers again what was answered", async () => {
  const office = await newOffice();
  const rows = Array.from({ length: 5_000 }, (_, index) => link({ reference: `R${index}` }));
  const headers = { "idempotency-key": "file-1" };
  const first = await api("POST", "/payment-links/bulk", {
    key: office.key,
    body: { rows },
    headers,
  });
  expect(data<BulkReport>(first)).toMatchObject({ total: 5_000, created: 5_000 });
  const second = await api("POST", "/payment-links/bulk", {
    key: office.key,
    body: { rows },
    headers,
  });
  expect(second.text).toBe(first.text);
  expect(await count("payment_links", office)).toBe(5_000);
  expect((await send(office, [...rows, link()])).body.errors).toEqual({
    rows: ["The rows must not have more than 5000 items."],
  });
  expect((await send(office, [])).body.errors).toEqual({
    rows: ["The rows must have at least 1 items."],
  });
  expect((await send(office, [link({ title: "x".repeat(2_100_000) })])).status).toBe(413);
});

test("CSV with a header row does the same", async () => {
  const office = await newOffice();
  const csv =
    '\ufeffemail,currency,amount,title,reference,send_email\r\nana@example.com,MYR,1250,"Satay, for two",A,false\r\n\r\nben@example.com,MYR,12.50,Tea,,\r\n';
  const dry = data<BulkReport>(await sendCsv(office, csv, "?dry_run=true"));
  expect(dry).toMatchObject({ dry_run: true, valid: 1, invalid: 1 });
  const made = data<BulkReport>(await sendCsv(office, csv));
  expect(made.rows[0]?.payment_link).toMatchObject({
    title: "Satay, for two",
    amount: 1_250,
    reference: "A",
  });
  expect(made.rows[1]?.errors).toEqual({ amount: ["The amount must be an integer."] });
});

test("a file whose rows do not fit its header makes nothing", async () => {
  const office = await newOffice();
  const uneven = await sendCsv(
    office,
    "email,title\nana@example.com,Satay, for two\nben@example.com,Tea\n",
  );
  expect(uneven.body.errors).toEqual({ rows: ["Row 1 has 3 cells where the header has 2."] });
  expect((await sendCsv(office, 'email,title\n"ana')).status).toBe(400);
  expect((await sendCsv(office, "email,email\na,b\n")).status).toBe(400);
  expect(await count("payment_links", office)).toBe(0);
});

test("staff may, viewers may not", async () => {
  const office = await newOffice();
  expect((await staffCall(office, "POST", "/payment-links/bulk", { rows: [link()] })).status).toBe(
    200,
  );
  expect(
    (
      await staffCall(
        office,
        "POST",
        "/payment-links/bulk",
        { rows: [link()] },
        await member(office, "viewer"),
      )
    ).status,
  ).toBe(403);
});
