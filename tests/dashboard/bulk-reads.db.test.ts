import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import type { BulkReport } from "@/lib/contract/bulk";
import { bulk } from "@/lib/domain/payment-links/bulk";
import { linksByReference } from "@/lib/domain/payment-links/bulk-rows";
import { data, keyCall, link, newOffice, type Office } from "./setting";

afterAll(closePool);

const reference = 'Fees "2026", {a}\\';
const idOf = (number: number) => number.toString(16).padStart(24, "0");

/** Links of one reference, the newest last: each amount twice, the payers in capitals. Those with a number that 10 divides are cancelled. */
const fill = ({ businessId }: Office, count: number) =>
  db.execute(sql`
    insert into payment_links (business_id, mode, id, email, currency, amount, title, reference, status, created_at)
    select ${businessId}, 'test', lpad(to_hex(i), 24, '0'), 'PAYER' || i % 2 || '@example.com', 'MYR', 500 + i % ${count / 2}::int, 'Fees', ${reference},
      case when i % 10 = 0 then 'Cancelled' else 'Active' end, now() - make_interval(mins => ${count}::int - i)
    from generate_series(1, ${count}::int) i`);

test("of thousands of links with one reference, a bulk call reads the newest and those that are equal to its rows", async () => {
  const office = await newOffice();
  await fill(office, 2_000);
  const asked = [
    { reference, email: "payer1@example.com", currency: "MYR", amount: 501 },
    { reference, email: "Payer1@example.com", currency: "MYR", amount: 501 },
    { reference, email: "payer0@example.com", currency: "MYR", amount: 501 },
    { reference, email: "payer1@example.com", currency: "USD", amount: 501 },
    { reference, email: "payer0@example.com", currency: "MYR", amount: 502 },
    // Both links of this content are cancelled.
    { reference, email: "payer0@example.com", currency: "MYR", amount: 510 },
    { reference: "other", email: "payer1@example.com", currency: "MYR", amount: 501 },
  ].map((one) => ({ ...one, title: "Fees" }));
  const found = await linksByReference(office.shop.ctx, asked);
  expect(found.map(({ id }) => id)).toEqual([1_001, 1_002, 1_999].map(idOf));

  const rows = asked.map((one) => link(one));
  const dry = data<BulkReport>(
    await keyCall(office, "POST", "/payment-links/bulk", { rows, dry_run: true }),
  );
  const newest = idOf(1_999);
  expect(
    dry.rows.map(({ status, payment_link, conflicts_with }) => [
      status,
      payment_link?._id ?? conflicts_with?._id ?? null,
    ]),
  ).toEqual([
    ["exists", idOf(1_001)],
    ["exists", idOf(1_001)],
    ["conflict", newest],
    ["conflict", newest],
    ["exists", idOf(1_002)],
    ["conflict", newest],
    ["valid", null],
  ]);
});

test("of a content with many titles and due dates, a bulk call reads the newest of what a row is looked up by", async () => {
  const office = await newOffice();
  const { shop, businessId } = office;
  const one = { reference: "S1", email: "payer@example.com", currency: "MYR", amount: 1_000 };
  // The newest last: fifty titles, each with four due dates, the last of them none.
  await db.execute(sql`
    insert into payment_links (business_id, mode, id, email, currency, amount, title, reference, due_at, created_at)
    select ${businessId}, 'test', lpad(to_hex(i), 24, '0'), ${one.email}, 'MYR', ${one.amount}, 'Trip ' || (i - 1) / 4, ${one.reference},
      case when i % 4 > 0 then timestamptz '2031-01-01T12:00:00.123456Z' + make_interval(days => i % 4) end, now() - make_interval(mins => 200 - i)
    from generate_series(1, 200) i`);
  const read = async (title: string, due_at?: string) =>
    (await linksByReference(shop.ctx, [{ ...one, title, due_at }])).map(({ id }) => id);
  expect(await read("Zoo")).toEqual([idOf(200)]);
  expect(await read(" TRIP 3")).toEqual([idOf(16), idOf(200)]);
  expect(await read("Trip 3", "2031-01-03T12:00:00.123Z")).toEqual([14, 16, 200].map(idOf));
  expect(await read("Trip 3", "2031-02-03T12:00:00Z")).toEqual([idOf(16), idOf(200)]);
  const rows = [link({ ...one, title: "trip 3", due_at: "2031-01-03T20:00:00.123+08:00" })];
  expect(
    data<BulkReport>(
      await keyCall(office, "POST", "/payment-links/bulk", {
        rows,
        dry_run: true,
        compare_details: true,
      }),
    ).rows,
  ).toMatchObject([{ status: "exists", payment_link: { _id: idOf(14) }, differs: [] }]);
});

test("a bulk call sends as many statements for 200 rows as for 10, in a currency that not every gateway takes too", async () => {
  const { shop } = await newOffice();
  const statements = async (count: number) => {
    const rows = Array.from({ length: count }, () => ({ input: link({ currency: "SGD" }) }));
    const spy = vi.spyOn(pg.Client.prototype, "query");
    const onConflict = { otherwise: "skip", create: new Set<number>() } as const;
    const { valid } = await bulk(shop.ctx, [new TextEncoder().encode(JSON.stringify(rows))], {
      dryRun: true,
      onConflict,
      importId: undefined,
    });
    const { length } = spy.mock.calls;
    spy.mockRestore();
    expect(valid).toBe(count);
    return length;
  };
  expect(await statements(200)).toBe(await statements(10));
});

test("another trip of the same pupil is a conflict where details are compared, is created when chosen, and is never created twice", async () => {
  const office = await newOffice();
  const send = async (title: string, more: object) =>
    data<BulkReport>(
      await keyCall(office, "POST", "/payment-links/bulk", {
        rows: [link({ reference: "S1", title }), link({ reference: "S2", title })],
        ...more,
      }),
    );
  const compared = { compare_details: true };
  const zoo = await send("Zoo", { ...compared });
  const ids = zoo.rows.map((row) => row.payment_link?._id);
  expect(await send("Museum", {})).toMatchObject({
    created: 0,
    exists: 2,
    rows: ids.map((_id) => ({ payment_link: { _id }, differs: ["title"] })),
  });
  expect(await send("Museum", compared)).toMatchObject({
    created: 0,
    conflict: 2,
    rows: ids.map((_id) => ({ conflicts_with: { _id }, differs: ["title"] })),
  });
  const chosen = { ...compared, create_conflicts: [1, 2] };
  expect(await send("Museum", chosen)).toMatchObject({ created: 2, conflict: 0 });
  expect(await send(" MUSEUM", chosen)).toMatchObject({ created: 0, exists: 2 });
  expect(await send("ZOO", chosen)).toMatchObject({
    created: 0,
    rows: ids.map((_id) => ({ payment_link: { _id }, differs: [] })),
  });
});
