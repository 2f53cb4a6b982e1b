import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { BulkReport } from "@/lib/contract/bulk";
import { api } from "../contract/setting";
import {
  bearer,
  data,
  file,
  keyCall,
  link,
  member,
  newLink,
  newOffice,
  type Office,
  staffCall,
} from "./setting";

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

test.each(["?dry_run=true", ""])(
  "a NUL in a cell refuses the file, as in JSON: %s",
  async (query) => {
    const office = await newOffice();
    const refused = {
      message: "The request body holds a string that is not valid text.",
      code: "malformed_request",
      errors: {},
    };
    const cells = 'email,currency,amount,title,description\nana@example.com,MYR,500,Tea,"a\0b"';
    const csv = await sendCsv(office, cells, query);
    expect([csv.status, csv.body]).toEqual([400, refused]);
    const json = await send(office, [link(), link({ description: "a\0b" })]);
    expect([json.status, json.body]).toEqual([400, refused]);
    expect(await count("payment_links", office)).toBe(0);
  },
);

test("valid rows become links with their events, in the file's order; invalid rows get the messages of the 422", async () => {
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

test("a cancelled link keeps no reference taken: equal and corrected rows are created, and later ones compare with them", async () => {
  const office = await newOffice();
  const cancelled = await newLink(office, { reference: "ORDER-7" });
  data(await keyCall(office, "POST", `/payment-links/${cancelled}/cancel`));
  const rows = [link({ reference: "ORDER-7" }), link({ reference: "ORDER-7", amount: 2_000 })];
  const dry = await report(office, rows.slice(1), { dry_run: true });
  expect(dry).toMatchObject({ valid: 1, rows: [{ conflicts_with: null }] });
  const made = await report(office, rows);
  expect(made).toMatchObject({ created: 1, exists: 0, conflict: 1 });
  expect(made.rows[1]).toMatchObject({ conflicts_with: null, earlier_row: 1 });
  const again = await report(office, rows);
  expect(again).toMatchObject({ created: 0, exists: 1, conflict: 1 });
  const open = made.rows[0]?.payment_link?._id;
  expect(again.rows[0]?.payment_link?._id).toBe(open);
  expect(again.rows[1]?.conflicts_with?._id).toBe(open);
});

test("an equal reference with another payer, amount or currency is a conflict: named, skipped, and created on request", async () => {
  const office = await newOffice();
  const before = await newLink(office, { reference: "ORDER-7" });
  const rows = [
    link({ reference: "ORDER-7", email: "ANA@example.com" }),
    link({ reference: "ORDER-7", amount: 2_000 }),
    link({ reference: "ORDER-7", currency: "USD" }),
    link({ reference: "ORDER-7", email: "fay@example.com", send_email: true }),
    link({ reference: "ORDER-8" }),
    link({ reference: "ORDER-8", amount: 2_000 }),
    link({ reference: "ORDER-8", amount: 2_000 }),
  ];
  const told = (made: BulkReport) =>
    made.rows.map(({ status, conflicts_with, earlier_row }) => [
      status,
      conflicts_with?._id ?? null,
      earlier_row,
    ]);
  const skipped = await report(office, rows);
  expect(told(skipped)).toEqual([
    ["exists", null, null],
    ["conflict", before, null],
    ["conflict", before, null],
    ["conflict", before, null],
    ["created", null, null],
    ["conflict", null, 5],
    ["conflict", null, 5],
  ]);
  expect(skipped).toMatchObject({ created: 1, exists: 1, conflict: 5, mails: 0 });
  expect(skipped.rows[0]?.payment_link?._id).toBe(before);
  expect(skipped.rows.filter(({ status }) => status === "conflict")).toEqual(
    Array(5).fill(expect.objectContaining({ payment_link: null, errors: {} })),
  );
  expect(await count("payment_links", office)).toBe(2);

  const fifth = skipped.rows[4]?.payment_link?._id;
  const dry = await report(office, rows, { on_conflict: "create", dry_run: true });
  expect(dry).toMatchObject({ valid: 4, exists: 3, conflict: 0, mails: 1 });
  expect(await count("payment_links", office)).toBe(2);
  const created = await report(office, rows, { on_conflict: "create" });
  expect(told(created)).toEqual([
    ["exists", null, null],
    ["created", before, null],
    ["created", before, null],
    ["created", before, null],
    ["exists", null, null],
    ["created", fifth, null],
    ["exists", null, 6],
  ]);
  expect(created.rows[6]?.payment_link?._id).toBe(created.rows[5]?.payment_link?._id);
  expect(await count("payment_links", office)).toBe(6);
  expect(await report(office, rows, { on_conflict: "create" })).toMatchObject({
    created: 0,
    exists: 7,
  });
});

test("single rows with a taken reference are created on request, the others are conflicts", async () => {
  const office = await newOffice();
  const before = await newLink(office, { reference: "ORDER-7" });
  const rows = [
    link({ reference: "ORDER-7", amount: 2_000 }),
    link({ reference: "ORDER-7", amount: 3_000 }),
    link({ reference: "ORDER-8" }),
    link({ reference: "ORDER-8", amount: 2_000 }),
    link({ reference: "ORDER-8", amount: 3_000 }),
  ];
  const statuses = ({ rows: made }: BulkReport) => made.map(({ status }) => status);
  const choice = { create_conflicts: [2, 4] };
  const dry = await report(office, rows, { ...choice, dry_run: true });
  expect(statuses(dry)).toEqual(["conflict", "valid", "valid", "valid", "conflict"]);
  expect(dry.rows[1]?.conflicts_with?._id).toBe(before);
  const made = await report(office, rows, { ...choice, on_conflict: "skip" });
  expect(statuses(made)).toEqual(["conflict", "created", "created", "created", "conflict"]);
  expect(made.totals).toMatchObject([{ count: 3, amount: 3_000 + 1_250 + 2_000 }]);
  const all = await report(office, rows, { ...choice, on_conflict: "create" });
  expect(statuses(all)).toEqual(["created", "exists", "exists", "exists", "created"]);

  const bad = await send(office, rows, { create_conflicts: [0, "1", 5_001] });
  expect(bad.status).toBe(422);
});

test("the report counts mails and money by currency, of a dry run as of the import itself", async () => {
  const office = await newOffice();
  const rows = [
    link({ send_email: undefined }),
    link({ send_email: true, currency: "JPY", amount: 3_000_000 }),
    link({ currency: "JPY", amount: 2_999_999 }),
    link({ amount: 1, send_email: true }),
  ];
  const expected = {
    mails: 2,
    totals: [
      { currency: "MYR", count: 1, amount: 1_250, amount_decimal: "12.50" },
      { currency: "JPY", count: 2, amount: 5_999_999, amount_decimal: "5999999" },
    ],
  };
  expect(await report(office, rows, { dry_run: true })).toMatchObject(expected);
  expect(await report(office, rows)).toMatchObject(expected);
});

test("an import's links carry its id, and the list and the export find them by it", async () => {
  const office = await newOffice();
  await newLink(office);
  const dry = await report(office, [link()], { dry_run: true });
  const made = await report(office, [link({ title: "One" }), link({ title: "Two" })]);
  const own = "6740f1bf9a3be27d51c8e4ee";
  const first = await report(office, [link()], { import_id: own });
  const more = data<BulkReport>(
    await sendCsv(
      office,
      "email,currency,amount,title\nana@example.com,MYR,1250,Tea\n",
      `?import_id=${own}`,
    ),
  );
  expect([dry.import_id, first.import_id, more.import_id]).toEqual([null, own, own]);
  const found = async (id: string | null) =>
    data<{ data: { title: string; import_id: string }[] }>(
      await keyCall(office, "GET", `/payment-links?import_id=${id}`),
    ).data;
  expect((await found(made.import_id)).map(({ title }) => title)).toEqual(["Two", "One"]);
  expect(await found(own)).toEqual([
    expect.objectContaining({ title: "Tea", import_id: own }),
    expect.objectContaining({ title: "Satay for two", import_id: own }),
  ]);
  const exported = await file(`/payment-links/export?import_id=${own}`, bearer(office.key));
  expect((await exported.text()).match(new RegExp(own, "g"))).toHaveLength(2);
  expect((await send(office, [link()], { import_id: "x" })).body.errors).toHaveProperty(
    "import_id",
  );
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
  expect(made.rows[1]?.errors).toEqual({
    amount: [
      "The amount must be an integer.",
      "The amount is in minor units of the currency: send 1250 for MYR 12.50.",
    ],
  });
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
