import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { db, onConnection, pool } from "@/db/client";
import { foldCounts } from "@/db/list-counts";
import type { Page } from "@/lib/contract/envelope";
import type { Event } from "@/lib/contract/events";
import type { PaymentLink, PaymentLinkQuery } from "@/lib/contract/payment-links";
import { list as listEvents } from "@/lib/domain/events/list";
import { createBusiness } from "@/lib/domain/businesses/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { countLinks, linkCurrencies, listLinks } from "@/lib/domain/payment-links/list-rows";
import { create } from "@/lib/domain/payment-links/create";
import { list } from "@/lib/domain/payment-links/list";
import type { ShownLink } from "@/lib/domain/payment-links/rows";
import { listPayments, paymentCurrencies, paymentsByNet } from "@/lib/domain/payments/list-rows";
import { linkStages, openLinks, sumsPerDay } from "@/lib/domain/overview/rows";

const ROWS = 20_000;
/** How many rows a call may read for one page, however many the business has. */
const FEW_ROWS = 700;

let large: Ctx;
let other: Ctx;
let all: ShownLink[];

const newCtx = async (): Promise<Ctx> =>
  systemCtx(
    { businessId: (await createBusiness({ name: "Tide & Co" })).id, mode: "test" },
    { kind: "operator" },
    "lists",
  );

/** A link a minute, the newest last, each with a payment. Titles of the older half say so; every 1,000th has a second reference. */
async function fill({ businessId }: Ctx, rows: number): Promise<void> {
  await db.execute(sql`
    insert into payment_links (business_id, mode, id, email, currency, amount, title, reference, reference_2, status, due_at, created_at)
    select ${businessId}, 'test', lpad(to_hex(i), 24, '0'), 'payer' || i || '@example.com', 'MYR', 500 + i, case i when 5 then 'Éclair 😀abc1' else 'Order ' || i || case when i * 2 <= ${rows}::int then ' early' else '' end end,
      'REF-' || i, case when i % 1000 = 0 then 'B-' || i end, (array['Paid', 'Active'])[i % 2 + 1], now() + make_interval(days => case i when 777 then -1 else 1 end), now() - make_interval(mins => ${rows}::int - i)
    from generate_series(1, ${rows}::int) i`);
  await db.execute(sql`
    insert into payments (business_id, mode, id, status, amount, currency, title, reference, gateway, payment_link_id, created_at, succeeded_at, net)
    select business_id, mode, id, 'succeeded', amount, currency, title, reference, 'simulator', id, created_at, created_at, case when amount % 2 = 0 then 99 else amount - 100 end
    from payment_links where business_id = ${businessId}`);
}

const newest = { sort: "-created_at", limit: 16, offset: 0, back: false } as const;
const byAmount = { ...newest, sort: "amount" } as const;

beforeAll(async () => {
  [large, other] = [await newCtx(), await newCtx()];
  await fill(large, ROWS);
  await fill(other, 1_000);
  await foldCounts();
  await db.execute(sql`vacuum analyze payment_links, payments, payment_sums`);
  all = await listLinks(large, {}, { ...newest, limit: ROWS });
}, 120_000);

/** How many rows of the lists' tables these statements read. */
async function rowsRead(body: () => Promise<unknown>): Promise<number> {
  const client = await pool().connect();
  const counted = async () => {
    const { rows } = await client.query<{ read: string }>(
      "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_xact_user_tables where relname in ('payment_links', 'payments') or relname like 'events%'",
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

test.each<[PaymentLinkQuery, number]>([
  [{}, 16],
  [{ status: "Expired" }, 0],
  [{ paid: true }, 16],
  [{ email: "payer7@example.com" }, 1],
  [{ reference: "REF-7" }, 1],
  [{ reference_2: "B-7000" }, 1],
  [{ reference_2: "none" }, 0],
  [{ currency: "USD" }, 0],
  [{ amount_min: 100_000 }, 0],
  [{ amount_max: 510 }, 10],
  [{ overdue: true }, 1],
  [{ overdue: false }, 16],
  [{ q: "zebra" }, 0],
  [{ q: "PAYER777@" }, 1],
  [{ q: "order 1" }, 16],
  [{ q: "0123456789abcdef01234567" }, 0],
  [{ q: "example" }, 16],
  [{ q: "ex" }, 16],
  [{ q: "o" }, 16],
])("a page of %j reads few of many rows", async (query, found) => {
  let rows: unknown[] = [];
  const read = await rowsRead(async () => (rows = await listLinks(large, query, newest)));
  expect(rows).toHaveLength(found);
  expect(read).toBeLessThan(FEW_ROWS);
});

test.each([
  [99, 5],
  [1_201, 1],
  [98, 0],
])("payments of which %i are left after fees read few of many rows", async (net, found) => {
  let rows: unknown[] = [];
  const wanted = { net, currency: "MYR" };
  const read = await rowsRead(async () => (rows = await paymentsByNet(large, wanted, 5)));
  expect(rows).toHaveLength(found);
  expect(read).toBeLessThanOrEqual(found);
});

test.each([linkCurrencies, paymentCurrencies])(
  "the currencies that a business uses are read without its rows",
  async (currencies) => {
    let used: readonly string[] = [];
    expect(await rowsRead(async () => (used = await currencies(large)))).toBeLessThan(10);
    expect(used).toEqual(["MYR"]);
    expect(await currencies(await newCtx())).toEqual([]);
  },
);

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

test.each([{ q: "zebra" }, { q: "REF-777" }, { reference: "REF-7" }, { currency: "USD" }])(
  "a page of payments of %j reads few of many rows",
  async (query) => {
    expect(await rowsRead(() => listPayments(large, query, newest))).toBeLessThan(FEW_ROWS);
  },
);

test("a page of events after a position reads its own events, and pages have all of them in order", async () => {
  const shop = await newCtx();
  await db.execute(sql`
    insert into events (business_id, mode, id, xid, seq, type, object_id, data, actor)
    select ${shop.businessId}, 'test', lpad(to_hex(i), 24, '0'), (i / 300)::text::xid8, i, 'payment.failed', 'x', '{}', '{"kind":"clock"}'
    from generate_series(1, ${ROWS}::int) i`);
  const idOf = (number: number) => number.toString(16).padStart(24, "0");
  const after = async (id: string) =>
    (await listEvents(shop, { after: id, per_page: 100 }, new URLSearchParams())).data;
  for (const prepare of [sql`select 1`, sql`analyze events`]) {
    await db.execute(prepare);
    for (const number of [ROWS / 10, ROWS / 2, ROWS - 100]) {
      let page: Event[] = [];
      const read = await rowsRead(async () => (page = await after(idOf(number))));
      expect(page.map(({ _id }) => _id)).toEqual(
        Array.from({ length: 100 }, (_, at) => idOf(number + 1 + at)),
      );
      expect(read).toBeLessThan(FEW_ROWS);
    }
  }
});

test("a search never reads rows of another business", async () => {
  const empty = await newCtx();
  expect(await rowsRead(() => listLinks(empty, { q: "example" }, newest))).toBe(0);
});

test("counts of all links and of a status, and the overview's sums, read no link and no payment", async () => {
  expect(await rowsRead(() => countLinks(large, {}))).toBe(0);
  expect(await rowsRead(() => countLinks(large, { status: "Paid" }))).toBe(0);
  expect(await countLinks(large, { status: "Paid" })).toBe(ROWS / 2);
  const range = { from: "2000-01-01", to: "2100-01-01", timeZone: "UTC" };
  expect(await rowsRead(() => sumsPerDay(large, "collected", range, undefined))).toBe(0);
  expect(await rowsRead(() => linkStages(large, range, undefined))).toBe(0);
  expect(await rowsRead(() => openLinks(large, undefined))).toBe(0);
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
  expect(total).toBe(ROWS);
  expect(data.map(({ _id }) => _id)).toEqual(
    all.slice((page - 1) * perPage, page * perPage).map(({ id }) => id),
  );
});

const texts = [
  "early",
  "order 19",
  "er 5",
  "payer1",
  "ref-19999",
  "REF-1\nB",
  "payer2@",
  "%",
  "Éclair",
  "😀abc1",
  "lair 😀",
];
test.each(texts)(
  "the search for %j finds what a look at each row finds, page by page",
  async (q) => {
    const wanted = all
      .filter((row) =>
        [row.title, row.email, row.reference, row.reference2].some((text) =>
          text?.toLowerCase().includes(q.toLowerCase()),
        ),
      )
      .map(({ id }) => id);
    const found: string[] = [];
    const limit = 3_000;
    let last: (typeof all)[number] | undefined;
    do {
      const position = last && { position: { value: last.createdAt, id: last.id } };
      const rows = await listLinks(large, { q }, { ...newest, limit, ...position });
      found.push(...rows.map(({ id }) => id));
      last = rows.length === limit ? rows.at(-1) : undefined;
    } while (last);
    expect(found).toEqual(wanted);
  },
);

/** Titles of links, and the short texts that find them. */
const words: [title: string, found: string[], missed: string[]][] = [
  ["Nasi lemak", ["n", "NA", "le"], ["a", "as", "em", "mk"]],
  ["Tea (large), 2x", ["la", "2", "2x", "(", "(l", "),"], ["x", "ar"]],
  ["O’Brien_Lim/Ng", ["br", "li", "ng", "/", "/n"], ["ri", "im"]],
  ["Éclair, façade, Äpfel", ["É", "Äp", "fa"], ["ça", "cl", "pf"]],
  ["5% off for 10€", ["5%", "%", "€", "10"], ["0€"]],
  ["陈伟明的订单", ["陈", "伟明", "单"], []],
  ["กาแฟเย็น", ["เย"], []],
];

test("a search for one or two characters finds beginnings of words, signs, and letters of scripts without blanks", async () => {
  const shop = await newCtx();
  for (const [title] of words) {
    const input = { email: "zoe@zz.example", currency: "MYR", amount: 500, title } as const;
    await create(shop, { ...input, send_email: false });
  }
  const titlesOf = async (q: string) =>
    (await listLinks(shop, { q }, newest)).map(({ title }) => title);
  for (const [title, found, missed] of words) {
    for (const q of found)
      expect([q, await titlesOf(q)]).toEqual([q, expect.arrayContaining([title])]);
    for (const q of missed)
      expect([q, await titlesOf(q)]).toEqual([q, expect.not.arrayContaining([title])]);
  }
});
