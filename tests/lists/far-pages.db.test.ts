import { sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { db, onConnection, pool } from "@/db/client";
import { foldCounts } from "@/db/list-counts";
import type { Walk } from "@/db/page";
import { PaymentLinkQuery } from "@/lib/contract/payment-links";
import type { Ctx } from "@/lib/domain/context";
import { listPage } from "@/lib/domain/lists";
import { countLinks, listLinks } from "@/lib/domain/payment-links/list-rows";
import { newShop } from "../money/setting";

const ROWS = 12_000;
const DAYS = 40;

let ctx: Ctx;

/** Links of forty days, many of one moment, some deleted; the last third is not folded. */
beforeAll(async () => {
  ({ ctx } = await newShop());
  const insert = (rows: number) => sql`
    insert into payment_links (business_id, mode, id, email, currency, amount, title, status, mailed, first_opened_at, tried, created_at, deleted_at)
    select ${ctx.businessId}, 'test', md5(random()::text)::char(24), 'payer@example.com', (array['MYR', 'SGD', 'MYR'])[i % 3 + 1], 500, 'Any',
      (array['Active', 'Paid', 'Paid', 'Expired'])[i % 4 + 1], i % 5 < 4, case when i % 7 < 6 then now() end, random() < 0.8,
      timestamptz '2026-03-01Z' + make_interval(hours => (random() ^ 2 * 24 * ${DAYS})::int), case when i % 11 = 0 then now() end
    from generate_series(1, ${rows}::int) i`;
  await db.execute(insert((ROWS * 2) / 3));
  while ((await foldCounts()) > 0);
  await db.execute(insert(ROWS / 3));
  await db.execute(sql`vacuum analyze payment_links, payment_link_stages`);
}, 120_000);

const anyQuery = fc
  .tuple(
    fc.constantFrom<PaymentLinkQuery>(
      {},
      { status: "Paid" },
      { status: "Active" },
      { paid: true },
      { paid: false },
      { mailed: true },
      { opened: true },
      { opened: false },
      { tried: true },
      { tried: true, mailed: true },
      { status: "Paid", paid: false },
    ),
    fc.constantFrom<PaymentLinkQuery>({}, { currency: "MYR" }, { amount_min: 100 }),
  )
  .map(([stage, further]) => ({ ...stage, ...further }));

const ids = async (query: PaymentLinkQuery, walk: Walk) =>
  (await listLinks(ctx, query, walk)).map(({ id }) => id);

test("any page of any query is the piece of its whole list, from either end, and its count is that list's length", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyQuery,
      fc.constantFrom<Walk["sort"]>("created_at", "-created_at", "amount"),
      fc.boolean(),
      fc.array(fc.nat({ max: 999 }), { minLength: 3, maxLength: 3 }),
      async (query, sort, back, places) => {
        const way = { sort, back };
        const whole = await ids(query, { ...way, limit: ROWS, offset: 0 });
        expect(await countLinks(ctx, query)).toBe(whole.length);
        for (const place of places) {
          const offset = Math.floor((whole.length * place) / 1_000);
          if (offset >= whole.length) continue;
          expect([offset, await ids(query, { ...way, limit: 20, offset })]).toEqual([
            offset,
            whole.slice(offset, offset + 20),
          ]);
        }
      },
    ),
    { numRuns: 40 },
  );
});

/** How many entries of the links' indexes, and rows, a call reads. */
async function entriesRead(body: () => Promise<unknown>): Promise<number> {
  const client = await pool().connect();
  const read = async () => {
    const { rows } = await client.query<{ read: string }>(
      `select sum(pg_stat_get_xact_tuples_returned(oid)) as read from pg_class
       where oid = 'payment_links'::regclass or oid in (select indexrelid from pg_index where indrelid = 'payment_links'::regclass)`,
    );
    return Number(rows[0]?.read);
  };
  try {
    await client.query("begin");
    const before = await read();
    await onConnection(client, body);
    return (await read()) - before;
  } finally {
    await client.query("rollback");
    client.release();
  }
}

test.each<PaymentLinkQuery>([{}, { currency: "MYR" }, { status: "Paid" }, { opened: true }])(
  "a page in the middle of the links of %j reads what one day has, not all that lies before it",
  async (query) => {
    const total = await countLinks(ctx, query);
    const walk = {
      sort: "-created_at",
      limit: 15,
      offset: Math.floor(total / 2),
      back: false,
    } as const;
    expect(await entriesRead(() => listLinks(ctx, query, walk))).toBeLessThan(total / 5);
  },
);

test.each<PaymentLinkQuery>([
  {},
  { currency: "MYR" },
  { paid: true },
  { paid: false },
  { mailed: true },
])("the count of the links of %j reads none of them", async (query) => {
  expect(await entriesRead(() => countLinks(ctx, query))).toBe(0);
});

test("the last page of any list can be asked for by the address that names it", async () => {
  const total = 999_999_999;
  const walks: Walk[] = [];
  const asked = (search: URLSearchParams) =>
    listPage(ctx, {
      path: "/payment-links",
      search,
      query: PaymentLinkQuery.parse(Object.fromEntries(search)),
      fetch: async (walk) => {
        walks.push(walk);
        return [{ id: "f".repeat(24), createdAt: "2026-03-01T00:00:00.000000Z" }];
      },
      count: async () => total,
      present: ({ id }) => id,
    });
  const first = await asked(new URLSearchParams({ page: "1", per_page: "1" }));
  const { searchParams } = new URL("last_page_url" in first ? first.last_page_url : "");
  expect(await asked(searchParams)).toMatchObject({
    current_page: total,
    last_page: total,
    from: total,
    to: total,
    next_page_url: null,
  });
  expect(walks.at(-1)).toMatchObject({ offset: 0, limit: 1, back: true });
});

test.each<PaymentLinkQuery>([{}, { paid: true }, { amount_min: 100 }])(
  "the farthest page that can be asked for of the links of %j is empty",
  async (query) => {
    const walk = { limit: 100, offset: 999_999_998 * 100 } as const;
    for (const sort of ["-created_at", "created_at", "amount"] as const)
      for (const back of [false, true])
        expect(await ids(query, { ...walk, sort, back })).toEqual([]);
  },
);
