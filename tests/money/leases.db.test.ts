import { sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import {
  GATEWAY_TIMEOUT_SECONDS,
  callGateway,
  leaseSeconds,
} from "@/lib/domain/gateway-connections/call";
import { renewal } from "@/lib/flows/renewal/job";
import { longestCallMs } from "@/lib/gateways/limited-http";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { openPayments, type PaymentRow } from "@/lib/domain/payments/rows";
import { unscopedExtend } from "@/lib/jobs/claim-rows";
import { createRunner } from "@/lib/jobs/runner";
import { claimOf } from "../run-once";
import { newLink, newShop, press, type Shop } from "./setting";
import { saveMethod, subscribe } from "./subscription-setting";

afterAll(closePool);

test("a gateway that answers never is unknown after its time, and every claim outlasts the answers it waits for", async () => {
  vi.useFakeTimers();
  const asked = callGateway(
    "asking a gateway that is silent",
    () => new Promise<{ kind: "succeeded" }>(() => undefined),
  );
  await vi.advanceTimersByTimeAsync(GATEWAY_TIMEOUT_SECONDS * 1_000);
  expect(await asked).toEqual({ kind: "unknown", reason: expect.stringContaining("too long") });
  vi.useRealTimers();
  expect(longestCallMs).toBeLessThan(GATEWAY_TIMEOUT_SECONDS * 1_000);
  expect(leaseSeconds(1)).toBeGreaterThan(GATEWAY_TIMEOUT_SECONDS);
});

const leaseOf = async (shop: Shop) => {
  const { rows } = await db.execute<{ left: number | null; fence: number }>(
    sql`select extract(epoch from leased_until - now())::float8 as left, fence from payments where business_id = ${shop.ctx.businessId}`,
  );
  return rows[0] ?? { left: null, fence: 0 };
};
const claim = async (shop: Shop) => (await claimOf(openPayments, shop.ctx.businessId))[0];
/** A payment with a check that a worker claimed. */
async function claimedLook(shop: Shop) {
  await press(shop, (await newLink(shop))._id);
  await makeDue(shop);
  const claimed = await claim(shop);
  if (!claimed) throw new Error("nothing was claimed");
  return claimed;
}
const extend = (row: PaymentRow) => unscopedExtend(openPayments.table, [row], 60);
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
  await extend(claimed);
  expect((await leaseOf(shop)).left).toBeGreaterThan(GATEWAY_TIMEOUT_SECONDS);
  await makeDue(shop);
  expect((await claim(shop))?.fence).toBe(claimed.fence + 1);
  await shorten();
  await extend(claimed);
  expect((await leaseOf(shop)).left).toBeLessThanOrEqual(1);
  await reconcile(shop.ctx, claimed);
  await extend({ ...claimed, fence: claimed.fence + 1 });
  expect((await leaseOf(shop)).left).toBeNull();
});

test("work that goes on extends its leases, also a renewal's", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const shop = await newShop();
  await saveMethod(shop);
  await subscribe(shop);
  let finish = () => {};
  const runner = createRunner(
    { ...renewal, work: () => new Promise<void>((resolve) => (finish = resolve)) },
    { only: shop.ctx.businessId },
  );
  expect(await runner.poll("leases-test")).toBe(1);
  const left = async () => {
    const { rows } = await db.execute<{ left: number }>(
      sql`select extract(epoch from leased_until - now())::float8 as left from subscription_periods where business_id = ${shop.ctx.businessId}`,
    );
    return rows[0]?.left;
  };
  for (let times = 0; times < 3; times++) {
    await db.execute(
      sql`update subscription_periods set leased_until = now() + interval '1 second' where business_id = ${shop.ctx.businessId}`,
    );
    vi.advanceTimersByTime(15_000);
    await expect.poll(left).toBeGreaterThan(GATEWAY_TIMEOUT_SECONDS);
  }
  finish();
  await runner.drain();
  vi.useRealTimers();
});
