import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { create } from "@/lib/domain/tokenizations/create";
import { find, type TokenizationRow } from "@/lib/domain/tokenizations/rows";
import { lookUp } from "@/lib/flows/activation/reconcile";
import { begin } from "@/lib/flows/activation/steps";
import { runningChip } from "../chip-peer/running";
import { type ChipShop, newChipShop, purchaseIn } from "./chip-setting";

const peer = runningChip();

afterAll(closePool);

const newToken = ({ ctx }: ChipShop) =>
  create(ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed every month",
  });

const rowOf = async ({ ctx }: ChipShop, id: string) => (await find(ctx, id)) as TokenizationRow;

async function urlOf(begun: ReturnType<typeof begin>): Promise<string> {
  const result = await begun;
  if (result.kind !== "redirect") throw new Error(`no page was opened: ${result.kind}`);
  return result.url;
}

/** Presses save, and keeps CHIP's answer back until another press has been answered. Returns where each press leads. */
async function pressTwice(token: string): Promise<{ slow: ReturnType<typeof begin>; url: string }> {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  peer.held = { operation: "POST /purchases/", until };
  const slow = begin(token, "chip-test");
  await expect.poll(() => peer.held).toBeNull();
  const url = await urlOf(begin(token, "chip-test"));
  resolve();
  await slow;
  return { slow, url };
}

const openOnes = ({ bank }: ChipShop) =>
  bank.purchases.filter(({ status }) => status === "created").map(({ id }) => id);

test("pressing save twice leads to one page: the card that is saved there counts, and the other page is closed", async () => {
  const shop = await newChipShop(peer);
  const { _id, token } = await newToken(shop);
  const { slow, url } = await pressTwice(token);
  expect(await urlOf(slow)).toBe(url);
  expect(openOnes(shop)).toEqual([purchaseIn(url)]);
  shop.bank.press(purchaseIn(url), "approve");
  expect(await lookUp(shop.ctx, await rowOf(shop, _id))).toMatchObject({ status: "active" });
});

test("a press that CHIP refuses does not end the page that another press has opened", async () => {
  const shop = await newChipShop(peer);
  const { _id, token } = await newToken(shop);
  peer.bend = {
    operation: "POST /purchases/",
    change: (answer) => Object.assign(answer.purchase as object, { total: 1 }),
  };
  const { slow, url } = await pressTwice(token);
  expect(await urlOf(slow)).toBe(url);
  shop.bank.press(purchaseIn(url), "approve");
  expect(await lookUp(shop.ctx, await rowOf(shop, _id))).toMatchObject({ status: "active" });
});
