import { parse } from "csv-parse/sync";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { closePool, db, onConnection, pool } from "@/db/client";
import { readMigrations } from "@/db/migration-files";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import type { Found } from "@/lib/contract/search";
import { chargeToken } from "@/lib/contract/tokenizations";
import { listPayments } from "@/lib/domain/payments/list-rows";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import { erasePayer } from "@/lib/flows/erasure/steps";
import { readyPath } from "../contract/fixtures";
import {
  bearer,
  data,
  file,
  keyCall,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./setting";

afterAll(closePool);

const listed = async (office: Office, query = "") =>
  data<{ data: PaymentWithPayer[] }>(await keyCall(office, "GET", `/payments${query}`)).data;
const titles = async (office: Office, query: string) =>
  (await listed(office, query)).map(({ title }) => title).sort();

/** A paid link of each of two payers, and a charge of a saved method. */
async function traded(): Promise<Office> {
  const office = await newOffice();
  for (const [email, title] of [
    ["Ana.Payer@example.com", "School trip"],
    ["ben@example.com", "Piano lesson"],
  ] as const) {
    const link = await newLink(office, { email, title, amount: 10_000, reference: title });
    await pay(office, link);
  }
  const token = (await readyPath(chargeToken, office.shop.ctx)).split("/")[2] ?? "";
  const terms = { amount: 3_200, currency: "USD", title: "Late fee" };
  data(await keyCall(office, "POST", `/tokenizations/${token}/charge`, terms));
  return office;
}

test("a payment names its payer, title, fee and net, in the list, alone, and in the export", async () => {
  const office = await traded();
  const rows = await listed(office);
  const trip = rows.find(({ title }) => title === "School trip");
  const facts = {
    email: "Ana.Payer@example.com",
    title: "School trip",
    card_brand: null,
    card_last4: null,
    payment_method_type: "card",
    fee: 200,
    fee_decimal: "2.00",
    fee_currency: "MYR",
    net: 9_800,
    net_decimal: "98.00",
  };
  expect(trip).toMatchObject(facts);
  expect(data(await staffCall(office, "GET", `/payments/${trip?._id}`))).toEqual(trip);
  const late = rows.find(({ title }) => title === "Late fee");
  expect(late).toMatchObject({ email: "ana@example.com", card_last4: "4242", net: 3_136 });
  const lines = parse(await (await file("/payments/export", bearer(office.key))).text(), {
    columns: true,
  }) as Record<string, string>[];
  expect(lines.find(({ _id }) => _id === trip?._id)).toMatchObject({
    email: "Ana.Payer@example.com",
    title: "School trip",
    fee: "200",
    fee_currency: "MYR",
    net: "9800",
    net_decimal: "98.00",
  });
});

test("a fee that is not known is null, and so is the net of a fee in another currency", async () => {
  const office = await newOffice();
  const [declined, foreign] = [await newLink(office, {}), await newLink(office, {})];
  await pay(office, declined, "decline");
  await pay(office, foreign);
  await db.transaction(async (tx) => {
    await tx.execute(sql`alter table ledger_entries disable trigger user`);
    await tx.execute(
      sql`update ledger_entries set currency = 'USD' where business_id = ${office.businessId} and kind = 'fee'`,
    );
    await tx.execute(sql`alter table ledger_entries enable trigger user`);
  });
  const rows = await listed(office);
  const of = (id: string) => rows.find(({ payment_link_id }) => payment_link_id === id);
  expect(of(declined)).toMatchObject({ fee: null, fee_currency: null, net: null });
  expect(of(foreign)).toMatchObject({ fee_currency: "USD", net: null, net_decimal: null });
});

test("payments are found by the payer's address, also of a deleted link and a revoked token, and of no other business", async () => {
  const office = await traded();
  const other = await traded();
  expect(await titles(office, "?email=ana.payer@EXAMPLE.com")).toEqual(["School trip"]);
  expect(await titles(office, "?q=ana.payer@example.com")).toEqual(["School trip"]);
  expect(await titles(office, "?q=ana.payer@example.com&page=1")).toEqual(["School trip"]);
  expect(await titles(office, "?email=ana@example.com&sort=amount")).toEqual(["Late fee"]);
  expect(await titles(office, "?email=nobody@example.com")).toEqual([]);
  await pool().query("update payment_links set deleted_at = now() where business_id = $1", [
    office.businessId,
  ]);
  await pool().query("update tokenizations set status = 'revoked' where business_id = $1", [
    office.businessId,
  ]);
  expect(await titles(office, "?email=ben@example.com")).toEqual(["Piano lesson"]);
  expect(await titles(office, "?q=ana@example.com")).toEqual(["Late fee"]);
  expect(await titles(other, "?email=ben@example.com")).toEqual(["Piano lesson"]);
});

test("an erased payer is named by no payment, and their address finds none", async () => {
  const office = await newOffice();
  const link = await newLink(office, { email: "eve@example.com", title: "School trip" });
  await pay(office, link);
  await erasePayer(office.shop.ctx, "eve@example.com");
  const [payment] = await listed(office);
  expect(payment).toMatchObject({ email: ERASED_EMAIL, title: "School trip" });
  expect(await titles(office, "?email=eve@example.com")).toEqual([]);
});

test("an address in a title is found by a search as well", async () => {
  const office = await newOffice();
  const link = await newLink(office, { email: "ana@example.com", title: "For ben@example.com" });
  await pay(office, link);
  expect(await titles(office, "?q=ben@example.com")).toEqual(["For ben@example.com"]);
});

test("the payments of a payer are read by indexes, however many others there are", async () => {
  const office = await newOffice();
  const { ctx } = office.shop;
  // Each link makes a customer: in parts, no statement comes near its limit of time on a busy machine.
  for (let part = 0; part < 4; part++)
    await db.execute(sql`
      insert into payment_links (business_id, mode, id, email, currency, amount, title, deleted_at)
      select ${ctx.businessId}, 'test', lpad(to_hex(i), 24, '0'), 'payer' || i || '@example.com', 'MYR', 500, 'Order ' || i,
        case when i % 2 = 0 then now() end from generate_series(${part}::int * 5000 + 1, ${part}::int * 5000 + 5000) i`);
  await db.execute(sql`
    insert into payments (business_id, mode, id, status, amount, currency, title, gateway, payment_link_id)
    select ${ctx.businessId}, 'test', lpad(to_hex(i), 24, '0'), 'failed', 500, 'MYR', 'Order ' || i, 'simulator', lpad(to_hex(i), 24, '0')
    from generate_series(1, 20000) i`);
  await db.execute(sql`analyze payment_links, payments`);
  const client = await pool().connect();
  const read = async () => {
    const { rows } = await client.query<{ read: string }>(
      "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_xact_user_tables where relname in ('payment_links', 'payments', 'tokenizations', 'subscriptions')",
    );
    return Number(rows[0]?.read);
  };
  const walk = { sort: "-created_at", limit: 16, offset: 0, back: false } as const;
  try {
    await client.query("begin");
    for (const number of [7, 8]) {
      const before = await read();
      const rows = await onConnection(client, () =>
        listPayments(ctx, { email: `payer${number}@example.com` }, walk),
      );
      expect(rows.map(({ title }) => title)).toEqual([`Order ${number}`]);
      expect((await read()) - before).toBeLessThan(200);
    }
  } finally {
    await client.query("rollback");
    client.release();
  }
});

test("the search finds payments by what arrived after fees, also where they were booked before it did", async () => {
  const office = await traded();
  const found = async (q: string) =>
    data<Found[]>(await staffCall(office, "GET", `/search?q=${encodeURIComponent(q)}`))
      .flatMap(({ kind, title }) => (kind === "payment" ? [title] : []))
      .sort();
  const both = ["Piano lesson", "School trip"];
  expect(await found("98.00")).toEqual(both);
  expect(await found("RM 98,00")).toEqual(both);
  expect(await found("31.36")).toEqual(["Late fee"]);
  expect(await found("100.00")).toEqual(both);
  expect(await found("97.99")).toEqual([]);
  const details = async (q: string) =>
    data<Found[]>(await staffCall(office, "GET", `/search?q=${encodeURIComponent(q)}`))
      .flatMap(({ kind, detail }) => (kind === "payment" ? [detail] : []))
      .sort();
  expect(await details("98.00")).toEqual([
    "MYR 98.00 after fees · Ana.Payer@example.com · School trip",
    "MYR 98.00 after fees · ben@example.com · Piano lesson",
  ]);
  expect(await details("32.00")).toEqual(["ana@example.com"]);

  await pool().query("update payments set net = null where business_id = $1", [office.businessId]);
  expect(await found("98.00")).toEqual([]);
  await pool().query(
    readMigrations().find(({ tag }) => tag.endsWith("fill_nets"))?.statements[0] ?? "",
  );
  expect(await found("98.00")).toEqual(both);
  expect(await found("31.36")).toEqual(["Late fee"]);
});

test("the search puts what is exactly meant before newer records that only hold the text", async () => {
  const office = await newOffice();
  const found = async (kind: Found["kind"], q: string) =>
    data<Found[]>(await staffCall(office, "GET", `/search?q=${encodeURIComponent(q)}`)).flatMap(
      (one) => (one.kind === kind ? [one.title] : []),
    );
  await pay(
    office,
    await newLink(office, { title: "Meant", reference: "CAMP-5", email: "ana@example.com" }),
  );
  await newLink(office, { title: "Second", reference_2: "CAMP-5", email: "cho@example.com" });
  for (let made = 50; made < 57; made++)
    await pay(
      office,
      await newLink(office, {
        title: `Newer ${made}`,
        reference: `CAMP-${made}`,
        email: `joana${made}ana@example.com`,
      }),
    );
  expect(await found("payment_link", "CAMP-5")).toEqual([
    "Meant",
    "Second",
    "Newer 56",
    "Newer 55",
    "Newer 54",
  ]);
  expect((await found("payment", "CAMP-5"))[0]).toBe("Meant");
  expect((await found("payment_link", "ana@example.com"))[0]).toBe("Meant");
  expect((await found("customer", "ANA@example.com"))[0]).toBe("ana@example.com");
  expect(await found("payment_link", "CAMP-56")).toEqual(["Newer 56"]);
});

describe("an amount that is exactly meant is found", () => {
  const search = async (office: Office, kind: Found["kind"], q: string) =>
    data<Found[]>(await staffCall(office, "GET", `/search?q=${encodeURIComponent(q)}`)).filter(
      (one) => one.kind === kind,
    );
  const paid = async (office: Office, values: Record<string, unknown>) =>
    pay(office, await newLink(office, values));

  test("before newer records that only hold its digits", async () => {
    const office = await newOffice();
    await paid(office, { title: "Meant", amount: 12_500 });
    for (let number = 1_250; number < 1_256; number++)
      await paid(office, { title: `Newer ${number}`, reference: `INV-${number}` });
    for (const kind of ["payment_link", "payment"] as const)
      expect(
        (await search(office, kind, "125")).map(({ title, matched }) => [title, matched]),
      ).toEqual([
        ["Meant", "amount"],
        ...[1_255, 1_254, 1_253, 1_252].map((number) => [`Newer ${number}`, "text"]),
      ]);
  });

  test("beside records with that number as their reference", async () => {
    const office = await newOffice();
    await newLink(office, { title: "Amount", amount: 12_500 });
    for (let made = 0; made < 6; made++)
      await newLink(office, { title: "Reference", reference: "125" });
    expect((await search(office, "payment_link", "125")).map(({ title }) => title).sort()).toEqual([
      "Amount",
      ...Array(4).fill("Reference"),
    ]);
  });

  test("after fees beside five newer payments of it before fees", async () => {
    const office = await newOffice();
    await paid(office, { title: "After fees", amount: 10_000 });
    for (let made = 0; made < 6; made++) await paid(office, { title: "Before", amount: 9_800 });
    const found = await search(office, "payment", "98.00");
    expect(found.map(({ title }) => title).sort()).toEqual([
      "After fees",
      ...Array(4).fill("Before"),
    ]);
    expect(found.find(({ title }) => title === "After fees")).toMatchObject({
      detail: "MYR 98.00 after fees · ana@example.com",
      matched: "amount",
    });
  });

  test("in a currency without decimals behind newer ones of as many minor units", async () => {
    const office = await newOffice();
    await paid(office, { title: "Yen", amount: 1_250, currency: "JPY" });
    for (let made = 0; made < 6; made++) await paid(office, { title: "Ringgit", amount: 1_250 });
    const titles = async (kind: Found["kind"], q: string) =>
      (await search(office, kind, q)).map(({ title }) => title);
    expect(await titles("payment_link", "1,250")).toEqual(["Yen"]);
    expect(await titles("payment", "1,250")).toEqual(["Yen"]);
    expect(await titles("payment", "1,225")).toEqual(["Yen"]);
  });
});
