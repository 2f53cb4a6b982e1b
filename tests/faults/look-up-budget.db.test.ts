import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/client";
import { LookUpBudget } from "@/lib/flows/charge/look-up-budget";
import { definePaymentLookUps } from "@/lib/flows/charge/job";
import { openPayments } from "@/lib/domain/payments/rows";
import { newLink, newShop, paymentsOf, press, type Shop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import { unscopedOverdue } from "@/lib/jobs/backlog-rows";
import { runOnce } from "../run-once";

ownDatabaseEach();

/** Payers at the gateway; the first one's look has been due the longest. */
async function duePages(shop: Shop, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await press(shop, (await newLink(shop))._id);
  for (const [n, { id }] of (await paymentsOf(shop)).entries())
    await db.execute(
      sql`update payments set next_check_at = now() - make_interval(secs => ${600 - n}) where id = ${id}`,
    );
}

const own = (perMinute: number) => ({ perMinute, byAddress: false });

const looked = async (shop: Shop) =>
  (await paymentsOf(shop)).map(({ checks }) => (checks > 0 ? "looked" : "due"));

test("a connection's look-ups stay within its gateway's budget, oldest first, and other connections have theirs", async () => {
  let now = 0;
  const [busy, other] = [await newShop(), await newShop()];
  await duePages(busy, 5);
  await duePages(other, 1);
  const looks = definePaymentLookUps(new LookUpBudget({ simulator: own(2) }, () => now));
  while ((await runOnce(looks)) > 0);
  expect(await looked(busy)).toEqual(["looked", "looked", "due", "due", "due"]);
  expect(await looked(other)).toEqual(["looked"]);
  const [overdue] = await unscopedOverdue(openPayments, 60);
  expect(overdue?.seconds).toBeGreaterThanOrEqual(597);
  now = 59_999;
  expect(await runOnce(looks)).toBe(0);
  now = 60_000;
  while ((await runOnce(looks)) > 0);
  expect(await looked(busy)).toEqual(["looked", "looked", "looked", "looked", "due"]);
  now = 120_000;
  while ((await runOnce(looks)) > 0);
  expect(new Set(await looked(busy))).toEqual(new Set(["looked"]));
});

test("another connection of the same business has a budget of its own, and no budget is no limit", async () => {
  const shop = await newShop();
  await duePages(shop, 6);
  await db.execute(
    sql`insert into gateway_connections select (jsonb_populate_record(c, '{"id": "elsewhere", "mode": "live"}')).* from gateway_connections c where business_id = ${shop.ctx.businessId}`,
  );
  await db.execute(
    sql`update payments set connection_id = 'elsewhere' where business_id = ${shop.ctx.businessId} and id in (select id from payments order by created_at desc limit 1)`,
  );
  const budget = new LookUpBudget({ simulator: own(1) }, () => 0);
  const looks = definePaymentLookUps(budget);
  while ((await runOnce(looks)) > 0);
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from payments where fence > 0`,
  );
  expect(rows[0]?.n).toBe(2);
  const unlimited = definePaymentLookUps(new LookUpBudget({}, () => 0));
  while ((await runOnce(unlimited)) > 0);
  expect((await looked(shop)).filter((state) => state === "looked")).toHaveLength(6);
});

test("connections of a gateway that limits by address share one budget, and have their turns", async () => {
  let now = 0;
  const shops = [await newShop(), await newShop(), await newShop()];
  for (const shop of shops) await duePages(shop, 5);
  const limits = { simulator: { perMinute: 6, byAddress: true } };
  const looks = definePaymentLookUps(new LookUpBudget(limits, () => now));
  const counts = async () => {
    while ((await runOnce(looks)) > 0);
    const all = await Promise.all(shops.map(looked));
    return all.map((states) => states.filter((state) => state === "looked").length);
  };
  expect(await counts()).toEqual([2, 2, 2]);
  now = 60_000;
  expect(await counts()).toEqual([4, 4, 4]);
});
