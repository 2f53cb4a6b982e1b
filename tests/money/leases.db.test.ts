import { sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { answerSeconds, ask, leaseSeconds } from "@/lib/domain/businesses/line";
import { unscopedClaimPeriods } from "@/lib/domain/subscriptions/engine/rows";
import { beginWithinSeconds, chargeDue, runClaimed } from "@/lib/domain/subscriptions/engine/run";
import { longestCallMs } from "@/lib/gateways/stripe/http";
import { fairWork } from "@/lib/domain/fair-work";
import { reconcile } from "@/lib/domain/payments/reconcile";
import { extendLook, unscopedClaimDue } from "@/lib/domain/payments/rows";
import { newLink, newShop, press, type Shop } from "./setting";
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
  expect(leaseSeconds(1)).toBeGreaterThan(answerSeconds);
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

const leaseOf = async (shop: Shop) => {
  const { rows } = await db.execute<{ left: number | null; fence: number }>(
    sql`select extract(epoch from leased_until - now())::float8 as left, fence from payments where business_id = ${shop.ctx.businessId}`,
  );
  return rows[0] ?? { left: null, fence: 0 };
};
const claim = async (shop: Shop) =>
  (await unscopedClaimDue({ limit: 10_000, perBusiness: 10_000 })).find(
    ({ businessId }) => businessId === shop.ctx.businessId,
  );
/** A payment whose look was claimed by a worker. */
async function claimedLook(shop: Shop) {
  await press(shop, (await newLink(shop))._id);
  await makeDue(shop);
  const claimed = await claim(shop);
  if (!claimed) throw new Error("nothing was claimed");
  return claimed;
}
const makeDue = (shop: Shop) =>
  db.execute(
    sql`update payments set next_check_at = now(), leased_until = null where business_id = ${shop.ctx.businessId}`,
  );

test("the look of a worker that died is free again within 90 seconds, each time another dies", async () => {
  const shop = await newShop();
  await claimedLook(shop);
  for (let deaths = 0; deaths < 3; deaths++) {
    expect((await leaseOf(shop)).left).toBeLessThanOrEqual(90);
    expect(await claim(shop)).toBeUndefined();
    await db.execute(
      sql`update payments set leased_until = now() where business_id = ${shop.ctx.businessId}`,
    );
    expect(await claim(shop)).toBeDefined();
  }
});

test("a worker extends the lease of a look that goes on, and neither of one that is done nor of another worker's", async () => {
  const shop = await newShop();
  const claimed = await claimedLook(shop);
  const shorten = () =>
    db.execute(
      sql`update payments set leased_until = now() + interval '1 second' where business_id = ${shop.ctx.businessId} and leased_until is not null`,
    );
  await shorten();
  await extendLook(claimed);
  expect((await leaseOf(shop)).left).toBeGreaterThan(answerSeconds);
  await makeDue(shop);
  expect((await claim(shop))?.fence).toBe(claimed.fence + 1);
  await shorten();
  await extendLook(claimed);
  expect((await leaseOf(shop)).left).toBeLessThanOrEqual(1);
  await reconcile(shop.ctx, claimed);
  await extendLook({ ...claimed, fence: claimed.fence + 1 });
  expect((await leaseOf(shop)).left).toBeNull();
});

test("work that goes on extends its leases by itself", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  const extended: string[] = [];
  let finish = () => {};
  const looks = fairWork({
    piece: "payment",
    claim: async () => (extended.length === 0 ? [{ businessId: 1, id: "a" }] : []),
    extend: async ({ id }) => void extended.push(id),
    work: () => new Promise<void>((resolve) => (finish = resolve)),
  });
  await looks.poll("leases-test");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(extended).toHaveLength(4);
  finish();
  await looks.drain();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(extended).toHaveLength(4);
  vi.useRealTimers();
});
