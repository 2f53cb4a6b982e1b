import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { db } from "@/db/client";
import type { CursorPage, NumberedPage, Page } from "@/lib/contract/envelope";
import type { Ctx } from "@/lib/domain/context";
import { list as listCustomers } from "@/lib/domain/customers/list";
import { list as listPackages } from "@/lib/domain/packages/list";
import { list as listLinks } from "@/lib/domain/payment-links/list";
import { list as listPayments } from "@/lib/domain/payments/list";
import { list as listSubscriptions } from "@/lib/domain/subscriptions/list";
import { newShop } from "../money/setting";

type Row = { _id: string };
type Query = { sort: string; page?: number; cursor?: string; per_page?: number; q?: string };
type List = (ctx: Ctx, query: never, search: URLSearchParams) => Promise<Page<Row>>;

const texts = fc.array(
  fc.oneof(
    fc.constantFrom("ana", "Ana", "ANA", "bo", "Zoë", "zoé", "😀 cake", "100%", '"', "\\", "É"),
    fc.string({ minLength: 1, maxLength: 100, unit: fc.constantFrom("a", "B", "é", "😀", '"') }),
  ),
  { minLength: 40, maxLength: 40 },
);

/** Rows with texts of many kinds, several of which are equal but for their case. */
async function fill(ctx: Ctx, values: readonly string[]): Promise<void> {
  const { businessId } = ctx;
  const rows = JSON.stringify(values.map((text, index) => ({ text, index })));
  const given = sql`jsonb_to_recordset(${rows}::jsonb) as g(text text, index int)`;
  const id = sql`lpad(to_hex(g.index), 24, '0')`;
  const at = sql`timestamptz '2026-03-01Z' + make_interval(mins => g.index / 3)`;
  await db.execute(sql`insert into packages (business_id, mode, id, name, amount, currency, frequency, date_charge_start, created_at)
    select ${businessId}, 'test', ${id}, g.text, 500, 'MYR', 'monthly', '2026-01-01', ${at} from ${given}`);
  await db.execute(sql`insert into payment_links (business_id, mode, id, email, currency, amount, title, created_at)
    select ${businessId}, 'test', ${id}, g.text || '@example.com', 'MYR', 500, 'Any', ${at} from ${given}`);
  await db.execute(sql`insert into subscriptions (business_id, mode, id, email, package_id, status, anchor, created_at)
    select ${businessId}, 'test', ${id}, g.text || '@example.com', ${id}, 'active', '2026-01-01', ${at} from ${given}`);
}

/** All rows by cursors, to the end and back again. */
async function walked(list: List, ctx: Ctx, sort: string, q?: string): Promise<string[][]> {
  const read = async (cursor: string | null) =>
    (await list(
      ctx,
      { sort, per_page: 7, q, ...(cursor ? { cursor } : {}) } as Query as never,
      new URLSearchParams(),
    )) as CursorPage<Row>;
  let page = await read(null);
  const [on, back]: string[][] = [[], []];
  for (;;) {
    on?.push(...page.data.map(({ _id }) => _id));
    if (!page.next_cursor) break;
    page = await read(page.next_cursor);
  }
  for (;;) {
    back?.unshift(...page.data.map(({ _id }) => _id));
    if (!page.prev_cursor) break;
    page = await read(page.prev_cursor);
  }
  return [on ?? [], back ?? []];
}

async function numbered(list: List, ctx: Ctx, sort: string, q?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const answer = (await list(
      ctx,
      { sort, page, per_page: 7, q } as Query as never,
      new URLSearchParams(),
    )) as NumberedPage<Row>;
    last = answer.last_page;
    ids.push(...answer.data.map(({ _id }) => _id));
  }
  return ids;
}

test.each([
  ["payment links", "payment_links", "email", listLinks],
  ["customers", "customers", "email", listCustomers],
  ["subscriptions", "subscriptions", "email", listSubscriptions],
  ["packages", "packages", "name", listPackages],
] as const)(
  "%s by text: every row once, in order without case, by cursors, back again and by pages",
  async (_, table, column, list) => {
    for (const values of fc.sample(texts, 2)) {
      const { ctx } = await newShop();
      await fill(ctx, values);
      const { rows } = await db.execute<{ id: string }>(
        sql`select id from ${sql.identifier(table)} where business_id = ${ctx.businessId} order by lower(${sql.identifier(column)}), id`,
      );
      const wanted = rows.map(({ id }) => id);
      expect(wanted.length).toBeGreaterThan(7);
      for (const [sort, ids] of [
        [column, wanted],
        [`-${column}`, wanted.toReversed()],
      ] as const) {
        const all = list as unknown as List;
        expect(await walked(all, ctx, sort)).toEqual([ids, ids]);
        expect(await numbered(all, ctx, sort)).toEqual(ids);
      }
    }
  },
  60_000,
);

test("payments by success: each that brought money once, the last that came in first, and no other", async () => {
  const { ctx } = await newShop();
  await db.execute(sql`insert into payments (business_id, mode, id, status, amount, currency, title, gateway, created_at, succeeded_at)
    select ${ctx.businessId}, 'test', lpad(to_hex(n), 24, '0'), case when n % 3 = 0 then 'failed' else 'succeeded' end, 500, 'MYR', 'Any tea', 'simulator',
      timestamptz '2026-03-01Z' + make_interval(mins => n), case when n % 3 > 0 then timestamptz '2026-03-02Z' + make_interval(mins => n * 7 % 10) end
    from generate_series(1, 40) n`);
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from payments where business_id = ${ctx.businessId} and succeeded_at is not null order by succeeded_at, id`,
  );
  const wanted = rows.map(({ id }) => id);
  expect(wanted.length).toBe(27);
  const all = listPayments as unknown as List;
  for (const q of [undefined, "tea"])
    for (const [sort, ids] of [
      ["succeeded_at", wanted],
      ["-succeeded_at", wanted.toReversed()],
    ] as const) {
      expect(await walked(all, ctx, sort, q)).toEqual([ids, ids]);
      expect(await numbered(all, ctx, sort, q)).toEqual(ids);
    }
});
