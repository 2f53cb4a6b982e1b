import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { list as listCallbacks } from "@/lib/domain/callbacks/list";
import { runningChip } from "../chip-peer/running";
import { newKeys } from "../chip-peer/signing";
import {
  callBack,
  type ChipShop,
  lastEvent,
  newChipShop,
  paidAtChip,
} from "./chip-setting";

const peer = runningChip();

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  peer.webhooksPerPage = 50;
});
afterAll(closePool);

const fetches = () => peer.calls.filter((call) => call === "GET /public_key/").length;
const minuteLater = () => vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
const addOwnWebhook = ({ bank, connectionId }: ChipShop) =>
  peer.addWebhook(bank, `https://kutip.example/api/gateways/chip/callback/${connectionId}`);
const callbacksOf = async ({ ctx, connectionId }: ChipShop) =>
  (await listCallbacks(ctx, connectionId, {}, new URLSearchParams())).data;

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
});
