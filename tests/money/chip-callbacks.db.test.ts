import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import { lastRestore } from "@/db/settings";
import { list as listCallbacks } from "@/lib/domain/callbacks/list";
import { findPayment } from "@/lib/domain/payments/rows";
import { get } from "@/lib/flows/connecting/show";
import { callbacks } from "@/lib/flows/callback/job";
import { log } from "@/lib/kernel/log";
import { runningChip } from "../chip-peer/running";
import { runOnce } from "../run-once";
import { newKeys } from "../chip-peer/signing";
import {
  atChip,
  callBack,
  type ChipShop,
  comeBack,
  lastEvent,
  newChipShop,
  paidAtChip,
  savedAtChip,
} from "./chip-setting";
import { ledgerOf } from "./stripe-setting";

vi.mock(import("@/db/settings"), { spy: true });

const peer = runningChip();

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.mocked(lastRestore).mockReset();
  peer.webhooksPerPage = 50;
  peer.cache = null;
  peer.trouble = null;
});
afterAll(closePool);

const fetches = () => peer.calls.filter((call) => call === "GET /public_key/").length;
/** A minute has passed, although the clock was set back meanwhile. */
function minuteLater(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 61_000);
  vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ["Date"] });
}
const addOwnWebhook = ({ bank, connectionId }: ChipShop) =>
  peer.addWebhook(bank, `https://kutip.example/api/gateways/chip/callback/${connectionId}`);
const callbacksOf = async ({ ctx, connectionId }: ChipShop) =>
  (await listCallbacks(ctx, connectionId, {}, new URLSearchParams())).data;

describe("the callback that alone knows CHIP's id, since a backup was restored", () => {
  test("is kept until CHIP answers, and its money is booked then", async () => {
    const shop = await newChipShop(peer);
    const { payment, purchase } = await atChip(shop);
    shop.bank.press(purchase, "approve");
    await db.execute(
      sql`update payments set gateway_id = null, status = 'submitting', checkout_url = null where id = ${payment.id}`,
    );
    vi.mocked(lastRestore).mockResolvedValue(new Date(Date.now() + 86_400_000).toISOString());
    peer.trouble = { status: 500, body: "" };
    expect(await callBack(shop, lastEvent(shop, "purchase.paid"))).toBe(200);
    const tried = sql`select state from gateway_events where connection_id = ${shop.connectionId} and tries > 0`;
    await expect
      .poll(async () => (await db.execute(tried)).rows, { interval: 20, timeout: 15_000 })
      .toEqual([{ state: "new" }]);
    peer.trouble = null;
    await db.execute(
      sql`update gateway_events set next_try_at = now() where connection_id = ${shop.connectionId}`,
    );
    await runOnce(callbacks, shop.ctx.businessId);
    expect(await findPayment(shop.ctx, payment.id)).toMatchObject({ status: "succeeded" });
  });
});

test("a purchase is read as it is now, where CHIP gives its last answer to an address again", async () => {
  const shop = await newChipShop(peer);
  peer.cache = new Map();
  const { payment, purchase } = await atChip(shop);
  expect(await comeBack(shop, payment.id)).toMatchObject({ status: "requires_action" });
  shop.bank.press(purchase, "approve");
  expect(await comeBack(shop, payment.id)).toMatchObject({ status: "succeeded" });
});

test("a fee that is pending at CHIP is not known until CHIP names it, and is booked once then", async () => {
  const shop = await newChipShop(peer);
  shop.bank.feesLater = true;
  const { id, gatewayId } = await paidAtChip(shop, 1_500);
  const booked = async () => {
    const payment = await findPayment(shop.ctx, id);
    return [payment?.status, payment?.net, await ledgerOf(shop as never)];
  };
  const gross = { gateway: 1_500, sales: -1_500 };
  expect(await booked()).toEqual(["succeeded", null, gross]);
  shop.bank.chargeFee(gatewayId ?? "");
  const settled = lastEvent(shop, "purchase.settled");
  expect(await callBack(shop, settled)).toBe(200);
  const done = ["succeeded", 1_420, { gateway: 1_420, sales: -1_500, fees: 80 }];
  await expect.poll(booked, { interval: 20, timeout: 15_000 }).toEqual(done);
  expect(await callBack(shop, settled)).toBe(200);
  expect(await comeBack(shop, id)).toMatchObject({ nextCheckAt: null });
  expect(await booked()).toEqual(done);
});

describe("keys", () => {
  test("a key that CHIP changed is fetched again, and forged callbacks fetch it once a minute at most", async () => {
    const shop = await newChipShop(peer);
    await paidAtChip(shop);
    const body = lastEvent(shop, "purchase.paid");
    const before = fetches();
    shop.bank.keys = newKeys();
    expect(await callBack(shop, body)).toBe(200);
    expect(fetches()).toBe(before + 1);
    const forged = newKeys();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => callBack(shop, body, forged)),
    );
    expect(new Set(answers)).toEqual(new Set([400]));
    expect(fetches()).toBe(before + 1);
    minuteLater();
    expect(await callBack(shop, body, forged)).toBe(400);
    vi.useRealTimers();
    expect(fetches()).toBe(before + 2);
  });

  test("a webhook is verified by its own key, and only where it calls this connection", async () => {
    const shop = await newChipShop(peer);
    await paidAtChip(shop);
    const body = lastEvent(shop, "purchase.paid");
    const elsewhere = peer.addWebhook(shop.bank, "https://shop.example/other");
    const own = addOwnWebhook(shop);
    expect(await callBack(shop, body, own.keys)).toBe(200);
    expect(await callBack(shop, body, elsewhere.keys)).toBe(400);
  });

  test("a webhook on a later page of CHIP's list is verified too", async () => {
    const shop = await newChipShop(peer);
    await paidAtChip(shop);
    peer.webhooksPerPage = 1;
    peer.addWebhook(shop.bank, "https://shop.example/other");
    peer.addWebhook(shop.bank, "https://shop.example/another");
    const own = addOwnWebhook(shop);
    expect(await callBack(shop, lastEvent(shop, "purchase.paid"), own.keys)).toBe(200);
  });

  test("those of webhooks are kept while CHIP does not list them", async () => {
    const shop = await newChipShop(peer);
    await paidAtChip(shop);
    const body = lastEvent(shop, "purchase.paid");
    const own = addOwnWebhook(shop);
    expect(await callBack(shop, body, own.keys)).toBe(200);
    minuteLater();
    peer.lose("GET /webhooks/");
    expect(await callBack(shop, body, newKeys())).toBe(400);
    expect(await callBack(shop, body, own.keys)).toBe(200);
  });
});

describe("events that need no work here", () => {
  test.each([
    ["a payout", { event_type: "payout.success", id: 7, amount: 12_000 }],
    [
      "a subscription of CHIP's own",
      { event_type: "billing_template_client.subscription_billing_cancelled" },
    ],
  ])("%s, of a form that CHIP does not document, is accepted", async (_name, event) => {
    const shop = await newChipShop(peer);
    expect(await callBack(shop, JSON.stringify(event))).toBe(200);
    await expect
      .poll(async () => (await callbacksOf(shop)).map(({ type, status }) => [type, status]), {
        interval: 20,
        timeout: 15_000,
      })
      .toEqual([[event.event_type, "done"]]);
  });

  test.each([
    ["no event", { id: 1 }],
    ["a payment without its id", { event_type: "purchase.paid", is_test: true }],
  ])("%s is refused, also with a right signature", async (_name, event) => {
    const shop = await newChipShop(peer);
    expect(await callBack(shop, JSON.stringify(event))).toBe(400);
  });

  test("a payment of another brand of the company belongs to nothing here, and is no error", async () => {
    const shop = await newChipShop(peer);
    const errors = vi.spyOn(log, "error");
    await paidAtChip(shop);
    const { bank } = peer.open();
    const ours = JSON.parse(lastEvent(shop, "purchase.paid")) as object;
    const theirs = { ...ours, brand_id: bank.brandId };
    const other = JSON.stringify({ ...theirs, id: crypto.randomUUID(), reference: "ORDER-17" });
    expect([await callBack(shop, other), await callBack(shop, other)]).toEqual([200, 200]);
    const unnamed = JSON.stringify({ ...theirs, id: crypto.randomUUID(), reference: "" });
    expect(await callBack(shop, unnamed)).toBe(200);
    expect((await callbacksOf(shop)).map(({ status }) => status)).toEqual([
      "unmatched",
      "unmatched",
    ]);
    expect((await get(shop.ctx, shop.connectionId)).quarantined).toBe(0);
    expect(errors).not.toHaveBeenCalled();
  });

  test("an order of another program at the same brand belongs to nothing here, is no error and not tried again", async () => {
    const shop = await newChipShop(peer);
    await paidAtChip(shop);
    const errors = vi.spyOn(log, "error");
    const ours = JSON.parse(lastEvent(shop, "purchase.paid")) as object;
    const order = { ...ours, id: crypto.randomUUID(), reference: "137" };
    expect(await callBack(shop, JSON.stringify(order))).toBe(200);
    const kept = sql`select state, next_try_at from gateway_events where connection_id = ${shop.connectionId}`;
    await expect
      .poll(async () => (await db.execute(kept)).rows, { interval: 20, timeout: 15_000 })
      .toEqual([{ state: "unmatched", next_try_at: null }]);
    expect(errors).not.toHaveBeenCalled();
  });

  test.each(["reference", "purchase", "saved card"])(
    "one of another brand that names a %s of ours is set aside",
    async (what) => {
      const shop = await newChipShop(peer);
      const { payment, purchase } = await atChip(shop);
      const { bank } = peer.open();
      const named: Record<string, object> = {
        reference: { id: crypto.randomUUID(), reference: payment.id },
        purchase: { id: purchase, reference: "" },
        "saved card": {
          id: crypto.randomUUID(),
          reference: `tok_${(await savedAtChip(shop)).id}_1`,
        },
      };
      const event = {
        event_type: "purchase.paid",
        is_test: true,
        brand_id: bank.brandId,
        ...named[what],
      };
      expect(await callBack(shop, JSON.stringify(event))).toBe(200);
      expect(await callbacksOf(shop)).toMatchObject([
        { status: "quarantined", problem: expect.stringContaining("another account") },
      ]);
      expect(await findPayment(shop.ctx, payment.id)).toMatchObject({ succeededAt: null });
    },
  );
});
