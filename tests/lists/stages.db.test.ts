import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { db, pool } from "@/db/client";
import { foldCounts } from "@/db/list-counts";
import { readMigrations } from "@/db/migration-files";
import type { Ctx } from "@/lib/domain/context";
import { linkStages, type Range } from "@/lib/domain/overview/rows";
import { unscopedMarkOpened } from "@/lib/domain/payment-links/payer-rows";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { choose, newLink, newShop, press } from "../money/setting";

const any = (below: number) => fc.sample(fc.nat({ max: below - 1 }), 1)[0] ?? 0;

const kept = async (ctx: Ctx, range: Range) =>
  (await linkStages(ctx, range, undefined)).sort((a, b) => (a.currency < b.currency ? -1 : 1));

/** The same, from the links. */
async function counted(ctx: Ctx, { from, to, timeZone }: Range) {
  const { rows } = await db.execute(sql`
    select currency, count(*)::int as created, (count(*) filter (where mailed))::int as mailed, count(first_opened_at)::int as opened,
      (count(*) filter (where tried))::int as tried, (count(*) filter (where status = 'Paid'))::int as paid
    from payment_links where business_id = ${ctx.businessId} and deleted_at is null
      and (created_at at time zone ${timeZone})::date between ${from} and ${to} group by 1 order by 1`);
  return rows;
}

test.each([
  "UTC",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/Havana",
  "America/New_York",
  "Pacific/Kiritimati",
  "Europe/Lisbon",
])("any range of days in %s has the stages of its links, folded or not", async (timeZone) => {
  const { ctx } = await newShop();
  const insert = sql`insert into payment_links (business_id, mode, id, email, currency, amount, title, status, mailed, first_opened_at, tried, created_at, deleted_at)
    select ${ctx.businessId}, 'test', md5(random()::text)::char(24), 'payer@example.com', (array['MYR', 'SGD'])[i % 2 + 1], 500, 'Any',
      (array['Active', 'Paid', 'Expired'])[i % 3 + 1], random() < 0.5, case when random() < 0.5 then now() end, random() < 0.5,
      timestamptz '2026-03-01Z' + make_interval(mins => (random() * 60 * 24 * 40)::int), case when i % 9 = 0 then now() end
    from generate_series(1, 900) i`;
  await db.execute(insert);
  while ((await foldCounts()) > 0);
  await db.execute(insert);
  const day = (number: number) => new Date(Date.UTC(2026, 2, number)).toISOString().slice(0, 10);
  for (let round = 0; round < 30; round++) {
    const first = 1 + any(38);
    const range = { from: day(first), to: day(first + any(40 - first)), timeZone };
    expect([range, await kept(ctx, range)]).toEqual([range, await counted(ctx, range)]);
  }
});

test("an upgrade marks and counts the links from before, also while they change", async () => {
  const shop = await newShop();
  const [mailed, tried, paid, none] = [
    await newLink(shop),
    await newLink(shop),
    await newLink(shop),
    await newLink(shop),
  ].map(({ _id }) => _id);
  const { businessId } = shop.ctx;
  await db.execute(sql`
    insert into mails (business_id, id, mode, kind, cause, object_id, recipient, subject, html, text, status)
    values (${businessId}, ${mailed}, 'test', 'payment_reminder', 'any', ${mailed}, 'payer@example.com', 'Any', '', '', 'sent'),
      (${businessId}, ${tried}, 'test', 'receipt', 'any', ${tried}, 'payer@example.com', 'Any', '', '', 'sent'),
      (${businessId}, ${none}, 'test', 'payment_link', 'any', ${none}, 'payer@example.com', 'Any', '', '', 'kept')`);
  await choose(shop, (await press(shop, tried ?? "")) ?? "", "decline");
  await recordManualPayment(shop.ctx, paid ?? "", { method: "cash" });
  // As a database has it with rows older than the columns and triggers.
  await db.execute(sql`alter table payment_links disable trigger user`);
  await db.execute(sql`update payment_links set tried = false where business_id = ${businessId}`);
  await db.execute(sql`alter table payment_links enable trigger user`);
  await db.execute(sql`delete from payment_link_stages where business_id = ${businessId}`);
  const [mark, recountStages] = ["mark_mailed_and_tried_links", "recount_stages_of_links"].map(
    (name) => readMigrations().find(({ tag }) => tag.endsWith(name))?.statements[0] ?? "",
  );
  const marked = async () => (await db.execute(sql.raw(mark ?? ""))).rowCount ?? 0;
  const changing = Promise.all(Array.from({ length: 10 }, () => newLink(shop)));
  while ((await marked()) > 0);
  await Promise.all([db.execute(sql.raw(recountStages ?? "")), changing]);
  const all = { from: "2020-01-01", to: "2100-01-01", timeZone: "UTC" };
  expect(await kept(shop.ctx, all)).toEqual(await counted(shop.ctx, all));
  const { rows } = await db.execute<{ id: string; mailed: boolean; tried: boolean }>(
    sql`select id, mailed, tried from payment_links where business_id = ${businessId} and (mailed or tried) order by created_at`,
  );
  expect(rows).toEqual([
    { id: mailed, mailed: true, tried: false },
    { id: tried, mailed: false, tried: true },
    { id: paid, mailed: false, tried: true },
  ]);
});

test("a link that is locked keeps no other from being marked as opened, and is marked with the next ones", async () => {
  const links = await Promise.all(
    [0, 1].map(async () => {
      const shop = await newShop();
      return { businessId: shop.ctx.businessId, id: (await newLink(shop))._id };
    }),
  );
  const opened = async () => {
    const { rows } = await db.execute<{ id: string }>(
      sql`select id from payment_links where first_opened_at is not null and id in ${links.map(({ id }) => id)}`,
    );
    return rows.map(({ id }) => id);
  };
  const [locked, free] = links;
  const client = await pool().connect();
  try {
    await client.query("begin");
    await client.query("select from payment_links where id = $1 for update", [locked?.id]);
    expect(await unscopedMarkOpened(links)).toEqual([locked]);
    expect(await opened()).toEqual([free?.id]);
  } finally {
    await client.query("rollback");
    client.release();
  }
  expect(await unscopedMarkOpened(links)).toEqual([]);
  expect((await opened()).sort()).toEqual(links.map(({ id }) => id).sort());
});
