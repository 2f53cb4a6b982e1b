import { sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { answerSeconds, ask, leaseSeconds } from "@/lib/domain/businesses/line";
import { unscopedClaimPeriods } from "@/lib/domain/subscriptions/engine/rows";
import { beginWithinSeconds, chargeDue, runClaimed } from "@/lib/domain/subscriptions/engine/run";
import { longestCallMs } from "@/lib/gateways/stripe/http";
import { newShop } from "./setting";
import { chargesByPeriod, saveMethod, subscribe } from "./subscription-setting";

afterAll(closePool);

test("a gateway that answers never is unknown after its time, and every claim outlasts the answers it waits for", async () => {
  vi.useFakeTimers();
  const asked = ask(
    "asking a gateway that is silent",
    () => new Promise<{ kind: "succeeded" }>(() => undefined),
  );
  await vi.advanceTimersByTimeAsync(answerSeconds * 1_000);
  expect(await asked).toEqual({ kind: "unknown", reason: expect.stringContaining("too long") });
  vi.useRealTimers();
  expect(longestCallMs).toBeLessThan(answerSeconds * 1_000);
  for (const answers of [1, 2, 3])
    expect(leaseSeconds(answers)).toBeGreaterThan(answers * answerSeconds);
  expect(beginWithinSeconds).toBeGreaterThan(0);
  expect(beginWithinSeconds + answerSeconds).toBeLessThan(leaseSeconds(1));
});

test("a period that could outlast its lease is not begun; the next claim charges it", async () => {
  const shop = await newShop();
  await saveMethod(shop);
  await subscribe(shop);
  const claimed = await unscopedClaimPeriods(8, shop.ctx.businessId);
  expect(claimed).toHaveLength(1);
  await runClaimed(claimed, "leases-test", performance.now() - beginWithinSeconds * 1_000 - 1);
  expect(await chargesByPeriod(shop)).toEqual({});
  const { rows } = await db.execute<{ left: number }>(
    sql`select extract(epoch from leased_until - now())::float8 as left from subscription_periods where business_id = ${shop.ctx.businessId}`,
  );
  expect(rows[0]?.left).toBeGreaterThan(answerSeconds);
  expect(rows[0]?.left).toBeLessThanOrEqual(leaseSeconds(1));
  await db.execute(
    sql`update subscription_periods set leased_until = null where business_id = ${shop.ctx.businessId}`,
  );
  await chargeDue("leases-test", shop.ctx.businessId);
  expect(Object.values(await chargesByPeriod(shop))).toEqual([1]);
});
