import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/client";
import { connectClient } from "@/db/connection";
import { countByStatus, foldCounts } from "@/db/list-counts";
import { readMigrations } from "@/db/migration-files";
import { linkStatuses, paymentStatuses } from "@/lib/contract/values";
import { unscopedMarkMailed, unscopedMarkOpened } from "@/lib/domain/payment-links/payer-rows";
import { cancel } from "@/lib/domain/payment-links/cancel";
import { list } from "@/lib/domain/payment-links/list";
import { remove } from "@/lib/domain/payment-links/remove";
import { update } from "@/lib/domain/payment-links/update";
import { sumsPerDay } from "@/lib/domain/overview/rows";
import { list as listPayments } from "@/lib/domain/payments/list";
import { linkExpiry } from "@/lib/flows/expiry/job";
import { erasePayer } from "@/lib/flows/erasure/steps";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { create as refund } from "@/lib/flows/refund/steps";
import { Problem } from "@/lib/kernel/problem";
import { choose, newLink, newShop, press, type Shop } from "../money/setting";
import {
  advanceTo,
  newClock,
  newShopIn,
  saveMethod,
  subscribe,
} from "../money/subscription-setting";
import { runOnce } from "../run-once";

/** Small steps of a known seed, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const STAGES = sql`lateral (values ('created', created), ('mailed', mailed), ('opened', opened), ('tried', tried), ('paid', paid)) stages (stage, links)`;

/** Every sum that is kept, and the same from the rows. */
const SUMS = sql`
  select business_id, mode, 'links' as what, status as key, currency, count, amount from payment_link_counts
  union all select business_id, mode, 'payments', status, currency, count, amount from payment_counts
  union all select business_id, mode, kind, start::text, currency, count, amount from payment_sums where span = 'quarter'
  union all select business_id, mode, kind || ' in the hour', date_bin('1 hour', start, '2000-01-01Z')::text, currency, count, amount from payment_sums where span = 'hour' or not folded
  union all select business_id, mode, kind || ' on the day', date_bin('1 day', start, '2000-01-01Z')::text, currency, count, amount from payment_sums where span = 'day' or not folded
  union all select business_id, mode, stage, start::text, currency, links, 0 from payment_link_stages, ${STAGES} where span = 'quarter'
  union all select business_id, mode, stage || ' in the hour', date_bin('1 hour', start, '2000-01-01Z')::text, currency, links, 0 from payment_link_stages, ${STAGES} where span = 'hour' or not folded
  union all select business_id, mode, stage || ' on the day', date_bin('1 day', start, '2000-01-01Z')::text, currency, links, 0 from payment_link_stages, ${STAGES} where span = 'day' or not folded`;
const ROWS = sql`
  select business_id, mode, 'links' as what, status as key, currency, count(*) as count, sum(amount) as amount from payment_links where deleted_at is null group by 1, 2, 3, 4, 5
  union all select business_id, mode, 'payments', status, currency, count(*), sum(amount) from payments group by 1, 2, 3, 4, 5
  union all select business_id, mode, 'collected' || suffix, date_bin(length, succeeded_at, '2000-01-01Z')::text, currency, count(*), sum(amount - refunded_amount)
    from payments, spans where status in ('succeeded', 'partially_refunded', 'refunded') and succeeded_at is not null group by 1, 2, 3, 4, 5
  union all select business_id, mode, 'failed' || suffix, date_bin(length, created_at, '2000-01-01Z')::text, currency, count(*), sum(amount)
    from payments, spans where status = 'failed' group by 1, 2, 3, 4, 5
  union all select business_id, mode, stage || suffix, date_bin(length, created_at, '2000-01-01Z')::text, currency, count(*), 0
    from payment_links, spans, lateral (values ('created', true), ('mailed', mailed), ('opened', first_opened_at is not null), ('tried', tried), ('paid', status = 'Paid')) stages (stage, reached)
    where deleted_at is null and reached group by 1, 2, 3, 4, 5`;

/** What the kept sums lack, in one snapshot: nothing while they are right. */
const difference = async () =>
  (
    await db.execute(sql`
      with spans as (select '' as suffix, interval '15 minutes' as length union all select ' in the hour', interval '1 hour' union all select ' on the day', interval '1 day')
      select business_id, mode, what, key, currency, sum(count)::int as count, sum(amount)::int as amount from (
        select * from (${ROWS}) counted
        union all select business_id, mode, what, key, currency, -count, -amount from (${SUMS}) kept
      ) both_sides group by 1, 2, 3, 4, 5 having sum(count) <> 0 or sum(amount) <> 0`)
  ).rows;

/** One change, as the API makes it; some are refused by the link's state. */
async function change(shop: Shop, ids: string[], random: (below: number) => number): Promise<void> {
  const id = ids[random(Math.max(1, ids.length))];
  const kind = random(10);
  if (id && kind > 7) {
    await (kind === 8
      ? unscopedMarkOpened([{ businessId: shop.ctx.businessId, id }])
      : unscopedMarkMailed(shop.ctx.businessId, id));
    return;
  }
  if (!id || kind < 2) {
    ids.push((await newLink(shop, 500 + random(9_000)))._id);
    return;
  }
  if (kind === 2) await cancel(shop.ctx, id);
  else if (kind === 3) await remove(shop.ctx, id);
  else if (kind === 4)
    await update(shop.ctx, id, {
      email: "payer@example.com",
      currency: random(2) ? "MYR" : "SGD",
      amount: 600 + random(9_000),
      title: "Changed",
    });
  else if (kind === 5) {
    const session = await press(shop, id);
    if (session) await choose(shop, session, random(2) ? "approve" : "decline");
  } else {
    const { _id } = await recordManualPayment(shop.ctx, id, { method: "cash" });
    if (kind === 7) await refund(shop.ctx, _id, { amount: 500 });
  }
}

test("kept counts and sums equal the rows after any changes, also at the same time and while they are folded", async () => {
  const seed = Date.now() % 1_000_000;
  const random = randomNumbers(seed);
  const shop = await newShop();
  const ids: string[] = [];
  const done = new AbortController();
  const folding = (async () => {
    const found: unknown[] = [];
    while (!done.signal.aborted) {
      await Promise.all([foldCounts(), foldCounts()]);
      found.push(...(await difference()));
    }
    return found;
  })();
  for (let round = 0; round < 12; round++)
    await Promise.all(
      Array.from({ length: 8 }, () =>
        change(shop, ids, random).catch((error: unknown) => {
          if (!(error instanceof Problem)) throw error;
        }),
      ),
    );
  done.abort();
  expect(await folding, `seed ${seed}`).toEqual([]);
  expect(await difference(), `seed ${seed}`).toEqual([]);
  await foldCounts();
  expect(await difference(), `seed ${seed}`).toEqual([]);
  const { rows } = await db.execute<{ unfolded: number; keys: number; rows: number }>(sql`
    select (count(*) filter (where not folded))::int as unfolded, count(*)::int as rows, count(distinct (status, currency))::int as keys
    from payment_link_counts where business_id = ${shop.ctx.businessId}`);
  expect(rows[0]).toMatchObject({ unfolded: 0, rows: rows[0]?.keys });

  for (const status of linkStatuses) {
    const page = await list(shop.ctx, { page: 1, status }, new URLSearchParams());
    expect(page).toMatchObject({ total: await counted("payment_links", shop, status) });
  }
  for (const status of paymentStatuses) {
    const page = await listPayments(shop.ctx, { page: 1, status }, new URLSearchParams());
    expect(page).toMatchObject({ total: await counted("payments", shop, status) });
  }
});

/** Statements on rows of two businesses, by chance: each sets what the sums depend on, or makes or deletes rows. */
function anyStatement(businesses: [number, number], random: (below: number) => number): string {
  const one = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const business = one(businesses);
  const table = one(["payment_links", "payments"] as const);
  const link = table === "payment_links";
  const some = `from ${table} where business_id in (${businesses.join(", ")}) and hashtext(id) % 4 = ${random(4)} order by id limit ${1 + random(9)}`;
  const found = `(business_id, id) in (select business_id, id ${some} for update skip locked)`;
  const at = `timestamptz '2026-03-29' + make_interval(mins => ${random(600)})`;
  const kind = random(8);
  if (kind < 3) {
    const rows = `${business}, '${one(["test", "live"])}', md5(random()::text)::char(24), '${one(["MYR", "SGD"])}', 500 + i, 'Any'`;
    return link
      ? `insert into payment_links (business_id, mode, id, currency, amount, title, email, status) select ${rows}, 'payer@example.com', '${one(linkStatuses)}' from generate_series(1, ${random(6)}) i`
      : `insert into payments (business_id, mode, id, currency, amount, title, gateway, status, created_at, succeeded_at)
         select ${rows}, 'simulator', '${one(paymentStatuses)}', ${at}, ${one(["null", at])} from generate_series(1, ${random(6)}) i`;
  }
  if (kind === 3) return `delete from ${table} where ${found}`;
  const set = one([
    `status = '${one(link ? linkStatuses : paymentStatuses)}'`,
    `amount = amount + ${random(9)}`,
    `currency = '${one(["MYR", "SGD", "USD"])}'`,
    `mode = '${one(["test", "live"])}'`,
    `business_id = ${business}`,
    link ? `deleted_at = ${one(["null", "now()"])}` : `succeeded_at = ${one(["null", at])}`,
    link ? `title = 'Changed'` : `refunded_amount = ${random(400)}`,
    `created_at = ${at}`,
    ...(link
      ? [
          `mailed = ${one(["true", "false"])}`,
          `first_opened_at = ${one(["null", at])}`,
          `tried = ${one(["true", "false"])}`,
        ]
      : []),
  ]);
  return `update ${table} set ${set} where ${found}`;
}

test("any statements of several connections keep the counts, also those undone by an error or a lost connection", async () => {
  const seed = Date.now() % 1_000_000;
  const businesses: [number, number] = [
    (await newShop()).ctx.businessId,
    (await newShop()).ctx.businessId,
  ];
  const done = new AbortController();
  const folding = (async () => {
    const found: unknown[] = [];
    while (!done.signal.aborted) {
      await foldCounts();
      found.push(...(await difference()));
    }
    return found;
  })();
  let written = 0;
  const writer = async (number: number) => {
    const random = randomNumbers(seed + number);
    let client = await connectClient();
    for (let step = 0; step < 40; step++) {
      await client.query("begin");
      for (let count = random(3); count >= 0; count--)
        written += (await client.query(anyStatement(businesses, random))).rowCount ?? 0;
      const end = random(5);
      if (end === 0) await client.query("select 1 / 0").catch(() => client.query("rollback"));
      else if (end === 1) {
        await client.query("select pg_terminate_backend(pg_backend_pid())").catch(() => undefined);
        client = await connectClient();
      } else await client.query("commit");
    }
    await client.end();
  };
  await Promise.all([1, 2, 3, 4].map(writer));
  done.abort();
  expect(await folding, `seed ${seed}`).toEqual([]);
  expect(await difference(), `seed ${seed}`).toEqual([]);
  // Any statements may leave no row at all, so what counts is that there were some.
  expect(written, `seed ${seed}`).toBeGreaterThan(0);
});

test("a backlog of thousands of keys is folded by the index, also when each key has a row", async () => {
  const { ctx } = await newShop();
  for (const _ of [1, 2]) {
    await db.execute(sql`
      insert into payment_sums (business_id, mode, kind, start, currency, count, amount)
      select ${ctx.businessId}, 'test', 'failed', timestamptz '2020-01-01Z' + i * interval '15 minutes', 'MYR', 1, 500 from generate_series(1, 12000) i`);
    await foldCounts();
  }
  const { rows } = await db.execute(sql`
    select span, folded, count(*)::int as rows, sum(count)::int as count, sum(amount)::int as amount
    from payment_sums where business_id = ${ctx.businessId} group by 1, 2 order by 1`);
  const all = { folded: true, count: 24_000, amount: 12_000_000 };
  expect(rows).toEqual([
    { span: "day", rows: 126, ...all },
    { span: "hour", rows: 3_001, ...all },
    { span: "quarter", rows: 12_000, ...all },
  ]);
  await db.execute(sql`delete from payment_sums where business_id = ${ctx.businessId}`);
}, 20_000);

test.each([
  "UTC",
  "Asia/Kuala_Lumpur",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "America/Havana",
  "America/New_York",
  "Pacific/Kiritimati",
  "Europe/Lisbon",
])("days in %s have the sums of their payments, folded or not", async (timeZone) => {
  const { ctx } = await newShop();
  const insert = sql`insert into payments (business_id, mode, id, currency, amount, title, gateway, status, created_at, succeeded_at)
    select ${ctx.businessId}, 'test', md5(random()::text)::char(24), (array['MYR', 'SGD'])[i % 2 + 1], 500 + i, 'Any', 'simulator',
      (array['succeeded', 'failed'])[i % 3 / 2 + 1], moment, moment
    from generate_series(1, 1500) i, lateral (select timestamptz '2026-01-01Z' + make_interval(secs => random() * 86400 * 364 + i * 0) as moment) moments`;
  await db.execute(insert);
  while ((await foldCounts()) > 0);
  await db.execute(insert);
  const range = { from: "2026-01-03", to: "2026-12-28", timeZone };
  for (const kind of ["collected", "failed"] as const) {
    const { rows: wanted } = await db.execute(sql`
      select (moment at time zone ${timeZone})::date::text as day, currency, sum(amount)::float8 as sum, count(*)::int as count
      from (select *, case status when 'failed' then created_at else succeeded_at end as moment from payments) payments
      where business_id = ${ctx.businessId} and status = ${kind === "failed" ? "failed" : "succeeded"}
        and (moment at time zone ${timeZone})::date between ${range.from} and ${range.to} group by 1, 2 order by 1, 2`);
    const found = await sumsPerDay(ctx, kind, range, undefined);
    const inOrder = found.sort((a, b) => (a.day + a.currency < b.day + b.currency ? -1 : 1));
    expect(inOrder).toEqual(wanted);
  }
});

async function counted(table: "payment_links" | "payments", shop: Shop, status: string) {
  const where = sql`business_id = ${shop.ctx.businessId} and status = ${status}`;
  const { rows } = await db.execute<{ count: number }>(
    table === "payments"
      ? sql`select count(*)::int as count from payments where ${where}`
      : sql`select count(*)::int as count from payment_links where ${where} and deleted_at is null`,
  );
  return rows[0]?.count;
}

const RECOUNT = readMigrations().find(({ tag }) => tag.endsWith("recount_links_and_payments"));
const recount = async () => {
  for (const statement of RECOUNT?.statements ?? []) await db.execute(sql.raw(statement));
};

test("expiry, erasure and renewals under a test clock keep the counts right", async () => {
  const shop = await newShopIn("UTC");
  const { businessId } = shop.ctx;
  const clock = await newClock(shop, "2027-01-01T10:00:00");
  await saveMethod(shop);
  await subscribe(shop, { frequency: "daily" }, clock);
  await advanceTo(shop, clock, "2027-01-04T10:00:00");
  expect(await difference()).toEqual([]);

  await Promise.all(Array.from({ length: 20 }, () => newLink(shop)));
  await db.execute(
    sql`update payment_links set expires_at = now() - interval '1 hour' where business_id = ${businessId} and status = 'Active'`,
  );
  expect(await runOnce(linkExpiry, businessId)).toBe(20);
  expect(await countByStatus(shop.ctx, "payment_links", ["Expired"])).toBe(20);

  await erasePayer(shop.ctx, "payer@example.com").catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
  expect(await difference()).toEqual([]);
});

test("an import that is undone by an error leaves no count, one that is committed counts all its links", async () => {
  const shop = await newShop();
  const insert = sql`insert into payment_links (business_id, mode, id, email, currency, amount, title)
    select ${shop.ctx.businessId}, 'test', md5(random()::text)::char(24), 'payer@example.com', 'MYR', 500, 'Imported' from generate_series(1, 300)`;
  await expect(
    db.transaction(async (tx) => {
      await tx.execute(insert);
      await tx.execute(sql`select 1 / 0`);
    }),
  ).rejects.toThrow();
  expect(await countByStatus(shop.ctx, "payment_links")).toBe(0);
  await db.execute(insert);
  expect(await countByStatus(shop.ctx, "payment_links")).toBe(300);
  expect(await difference()).toEqual([]);
});

test("creates and cancels of one business at the same time neither deadlock nor lose a count", async () => {
  const shop = await newShop();
  const first = await Promise.all(Array.from({ length: 40 }, () => newLink(shop)));
  await Promise.all([
    ...first.map(({ _id }) => cancel(shop.ctx, _id)),
    ...Array.from({ length: 40 }, () => newLink(shop)),
    foldCounts(),
    foldCounts(),
  ]);
  expect(await countByStatus(shop.ctx, "payment_links", ["Cancelled"])).toBe(40);
  expect(await countByStatus(shop.ctx, "payment_links", ["Active"])).toBe(40);
  expect(await difference()).toEqual([]);
});

test("the recount adds what sums lack, also while links are created, cancelled and folded", async () => {
  const shop = await newShop();
  await Promise.all(Array.from({ length: 20 }, () => newLink(shop)));
  // As a database has it with rows older than the triggers.
  await db.execute(sql`delete from payment_link_counts where business_id = ${shop.ctx.businessId}`);
  expect(await countByStatus(shop.ctx, "payment_links")).toBe(0);
  const open = await connectClient();
  await open.query("begin");
  await open.query(
    "update payment_links set status = 'Cancelled' where id in (select id from payment_links where business_id = $1 limit 5)",
    [shop.ctx.businessId],
  );
  const done = new AbortController();
  const writing = (async () => {
    while (!done.signal.aborted) {
      const made = await Promise.all(Array.from({ length: 4 }, () => newLink(shop)));
      await Promise.all([...made.slice(2).map(({ _id }) => cancel(shop.ctx, _id)), foldCounts()]);
    }
  })();
  await recount();
  await open.query("commit");
  await open.end();
  done.abort();
  await writing;
  expect(await difference()).toEqual([]);
  await recount();
  expect(await difference()).toEqual([]);
});

test("a connection that is lost before its commit leaves neither the row nor its count", async () => {
  const shop = await newShop();
  await newLink(shop);
  const dying = await connectClient();
  await dying.query("begin");
  await dying.query("update payment_links set status = 'Cancelled' where business_id = $1", [
    shop.ctx.businessId,
  ]);
  await dying.query("select pg_terminate_backend(pg_backend_pid())").catch(() => undefined);
  expect(await countByStatus(shop.ctx, "payment_links", ["Active"])).toBe(1);
  expect(await difference()).toEqual([]);
});

test("creates of one business do not wait for an open transaction that counts links of it", async () => {
  const shop = await newShop();
  const { _id } = await newLink(shop);
  const other = await connectClient();
  await other.query("begin");
  await other.query("update payment_links set status = 'Cancelled' where id = $1", [_id]);
  await newLink(shop);
  expect(await countByStatus(shop.ctx, "payment_links", ["Active"])).toBe(2);
  await other.query("commit");
  await other.end();
  expect(await countByStatus(shop.ctx, "payment_links", ["Active"])).toBe(1);
});
