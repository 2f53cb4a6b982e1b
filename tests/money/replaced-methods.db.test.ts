import { afterAll, describe, expect, it } from "vitest";
import { closePool } from "@/db/client";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { get } from "@/lib/domain/subscriptions/get";
import { paymentsOf, type Shop } from "./setting";
import {
  chargesByPeriod,
  eventsOf,
  newShopIn,
  passDays,
  saveMethod,
  subscribe,
  work,
} from "./subscription-setting";

afterAll(closePool);

const statusesOf = async (shop: Shop) => (await paymentsOf(shop)).map(({ status }) => status);
const typesOf = async (shop: Shop) => (await eventsOf(shop)).map((line) => line.slice(17));

/** The charge under way fails for good. */
async function decline(shop: Shop): Promise<void> {
  const { id, gatewayId } = (await paymentsOf(shop)).at(-1) as PaymentRow;
  await settle(shop.ctx, id, {
    kind: "failed",
    gatewayId: gatewayId ?? "",
    decline: "hard",
    reason: "The card was declined for good.",
  });
}

describe("a method that is saved while another one is being charged", () => {
  it("is charged at once when that charge fails, and the subscription is not halted", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, "pending");
    const { _id } = await subscribe(shop);
    await work(shop);
    await saveMethod(shop);
    await work(shop);
    expect(await statusesOf(shop)).toEqual(["pending"]);
    await decline(shop);
    await work(shop);
    expect(await statusesOf(shop)).toEqual(["failed", "succeeded"]);
    expect((await get(shop.ctx, _id)).status).toBe("active");
    expect(await typesOf(shop)).not.toContain("subscription.halted");
    expect(Object.values(await chargesByPeriod(shop))).toEqual([1]);
  });

  it("brings a halted subscription back, which stays halted until it is paid", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, "declines_hard");
    const { _id } = await subscribe(shop);
    await work(shop);
    await saveMethod(shop, "pending");
    await work(shop);
    await saveMethod(shop);
    await work(shop);
    expect(await statusesOf(shop)).toEqual(["failed", "pending"]);
    await decline(shop);
    await work(shop);
    expect(await statusesOf(shop)).toEqual(["failed", "failed", "succeeded"]);
    expect(await get(shop.ctx, _id)).toMatchObject({
      status: "active",
      payment_links: [{ status: "Paid" }],
    });
    const types = await typesOf(shop);
    expect(types.filter((type) => type === "subscription.halted")).toHaveLength(1);
    expect(types.filter((type) => type === "subscription.past_due")).toEqual([]);
  });

  it("is charged once: its own failure halts", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, "pending");
    const { _id } = await subscribe(shop);
    await work(shop);
    await saveMethod(shop, "declines_hard");
    await work(shop);
    await decline(shop);
    await work(shop);
    await passDays(shop, 40);
    await work(shop);
    expect(await statusesOf(shop)).toEqual(["failed", "failed"]);
    expect((await get(shop.ctx, _id)).status).toBe("halted");
  });
});
