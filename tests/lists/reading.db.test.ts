import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { db, onConnection, pool } from "@/db/client";
import type { Page } from "@/lib/contract/envelope";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { createBusiness } from "@/lib/domain/businesses/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { listLinks } from "@/lib/domain/payment-links/list-rows";
import { list } from "@/lib/domain/payment-links/list";

const ROWS = 20_000;
/** How many rows a call may read for one page, however many the business has. */
const FEW_ROWS = 700;

let large: Ctx;

const newCtx = async (): Promise<Ctx> =>
  systemCtx(
    { businessId: (await createBusiness({ name: "Tide & Co" })).id, mode: "test" },
    { kind: "operator" },
    "lists",
  );

/** A link a minute, the newest last. */
async function fill({ businessId }: Ctx, rows: number): Promise<void> {
  await db.execute(sql`
    insert into payment_links (business_id, mode, id, email, currency, amount, title, reference, reference_2, status, created_at)
    select ${businessId}, 'test', lpad(to_hex(i), 24, '0'), 'payer' || i || '@example.com', 'MYR', 500 + i, 'Order ' || i || case when i * 2 <= ${rows}::int then ' early' else '' end,
      'REF-' || i, case when i % 1000 = 0 then 'B-' || i end, (array['Paid', 'Active'])[i % 2 + 1], now() - make_interval(mins => ${rows}::int - i)
    from generate_series(1, ${rows}::int) i`);
}

beforeAll(async () => {
  large = await newCtx();
  await fill(large, ROWS);
  await db.execute(sql`analyze payment_links`);
}, 120_000);

/** How many links these statements read. */
async function rowsRead(body: () => Promise<unknown>): Promise<number> {
  const client = await pool().connect();
  const counted = async () => {
    const { rows } = await client.query<{ read: string }>(
      "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_xact_user_tables where relname = 'payment_links'",
    );
    return Number(rows[0]?.read);
  };
  try {
    await client.query("begin");
    const before = await counted();
    await onConnection(client, body);
    return (await counted()) - before;
  } finally {
    await client.query("rollback");
    client.release();
  }
}

const newest = { sort: "-created_at", limit: 16, offset: 0, back: false } as const;
const byAmount = { ...newest, sort: "amount" } as const;

test("an address in the order of amounts reads the links of this address", async () => {
  expect(
    await rowsRead(() => listLinks(large, { email: "payer7@example.com" }, byAmount)),
  ).toBeLessThan(FEW_ROWS);
});

test("a page far from the beginning reads its own rows, and counts those before it in the index", async () => {
  // The index tells which rows are visible once every older snapshot is gone.
  await expect
    .poll(
      async () => {
        await db.execute(sql`vacuum analyze payment_links`);
        const { rows } = await db.execute<{ visible: boolean }>(
          sql`select relallvisible = relpages as visible from pg_class where oid = 'payment_links'::regclass`,
        );
        return rows[0]?.visible;
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  for (const query of [{}, { status: "Paid" as const }])
    expect(
      await rowsRead(() => listLinks(large, query, { ...newest, offset: 9_000 })),
    ).toBeLessThan(FEW_ROWS);
});

test.each([1, 500, 700, 1_000, 1_334])("page %i is the same from either end", async (page) => {
  const perPage = 15;
  const { data, total } = (await list(
    large,
    { page },
    new URLSearchParams(),
  )) as Page<PaymentLink> & {
    total: number;
  };
  const rows = await listLinks(large, {}, { ...newest, limit: ROWS });
  expect(total).toBe(ROWS);
  expect(data.map(({ _id }) => _id)).toEqual(
    rows.slice((page - 1) * perPage, page * perPage).map(({ id }) => id),
  );
});
