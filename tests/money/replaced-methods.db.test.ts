import { sql } from "drizzle-orm";
import { afterAll, describe, expect, it, vi } from "vitest";
import { closePool, db } from "@/db/client";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { get } from "@/lib/domain/subscriptions/get";
import { insertSubscription, lockSubscription } from "@/lib/domain/subscriptions/rows";
import { outcomes } from "@/lib/flows/renewal/job";
import { script, setTimes } from "@/lib/gateways/simulator/scripting";
import { runOnce } from "../run-once";
import { beforeNext } from "./before-next";
import { comeToRest, paymentsOf, type Shop } from "./setting";
import {
  behave,
  chargesByPeriod,
  eventsOf,
  follow,
  newShopIn,
  passDays,
  saveMethod,
  startSaving,
  subscribe,
  work,
} from "./subscription-setting";

vi.mock(import("@/lib/domain/subscriptions/rows"), { spy: true });

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

describe("while a charge has no outcome", () => {
  it.each(["pending", "unknown"])(
    "(%s) its period has started, and no charge is planned",
    async (status) => {
      const shop = await newShopIn("UTC");
      await setTimes(shop.account.connection, { answerLimitMs: 20 });
      const method = await saveMethod(shop, "declines");
      const { _id, created_at } = await subscribe(shop);
      const begin = async () => {
        if (status === "pending") await behave(shop, method, "pending");
        else await script(shop.account.connection.id, "charge", "hang");
        await work(shop);
      };
      await begin();
      const awaited = { next_charge_at: null, current_period_start: created_at.slice(0, 10) };
      expect(await statusesOf(shop)).toEqual([status]);
      expect(await get(shop.ctx, _id)).toMatchObject({ status: "created", ...awaited });
      await comeToRest(shop);
      await work(shop);
      const paid = await get(shop.ctx, _id);
      expect(paid).toMatchObject({ status: "active" });
      expect(paid.next_charge_at).not.toBeNull();
    },
  );
});

const tokenOf = async (shop: Shop, id: string) => (await get(shop.ctx, id)).tokenization_id;

it("the newer of two methods is remembered, whichever worker consumes its event last", async () => {
  const shop = await newShopIn("UTC");
  const { _id } = await subscribe(shop);
  await saveMethod(shop);
  let newer: string | null = null;
  beforeNext(lockSubscription, async () => {
    await saveMethod(shop);
    await runOnce(outcomes, shop.ctx.businessId);
    newer = await tokenOf(shop, _id);
  });
  await follow(shop);
  expect(newer).not.toBeNull();
  expect(await tokenOf(shop, _id)).toBe(newer);
});

it("a method that is saved while its payer is being subscribed is remembered", async () => {
  const shop = await newShopIn("UTC");
  const save = await startSaving(shop);
  const isBlocked = async () => {
    const { rowCount } = await db.execute(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount !== 0;
  };
  let saved: Promise<unknown> | undefined;
  let isFollowed = false;
  beforeNext(insertSubscription, async () => {
    saved = save()
      .then(() => follow(shop))
      .then(() => (isFollowed = true));
    const isMet = async () => isFollowed || (await isBlocked());
    await expect.poll(isMet, { timeout: 15_000, interval: 20 }).toBe(true);
  });
  const { _id } = await subscribe(shop);
  await saved;
  expect(await tokenOf(shop, _id)).not.toBeNull();
});
