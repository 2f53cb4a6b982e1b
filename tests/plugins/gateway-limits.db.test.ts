import { expect, test } from "vitest";
import { connect as connectGateway } from "@/lib/flows/connecting/steps";
import { newId } from "@/lib/kernel/ids";
import { runningPeer } from "../stripe-peer/running";
import { api } from "../contract/setting";
import { newWorld } from "./own-setting";
import { connect, v1 } from "./setting";

runningPeer();
const world = newWorld();

test("a gateway's limits are in major units at /api/v1, where shops show them to customers, and in minor units at /api", async () => {
  const plugin = await connect("woocommerce", { mode: "live" });
  await connectGateway(plugin.ctx, { secret_key: `sk_live_${newId()}` });
  const refusals = async (currency: string, major: string, minor: number) => {
    const link = { email: "siti@example.com", currency, title: "A" };
    const shop = await v1("POST", "/payment-links", {
      key: plugin.apiKey,
      json: JSON.stringify({ ...link, amount: major }),
    });
    const program = await api("POST", "/payment-links", {
      key: plugin.tenant.keys.live,
      body: { ...link, amount: minor },
    });
    return [shop, program].map(({ body }) => (body.errors as { amount?: string[] }).amount?.[0]);
  };
  expect(await refusals("THB", "9.99", 999)).toEqual([
    "The amount must be at least 10.00 in THB: Stripe charges no less.",
    "The amount must be at least 1000 in THB: Stripe charges no less.",
  ]);
  expect(await refusals("KWD", "5.001", 5_001)).toEqual([
    "The amount must be a multiple of 0.010 in KWD: Stripe takes no third digit.",
    "The amount must be a multiple of 10 in KWD: Stripe takes no third digit.",
  ]);
  expect(await refusals("MGA", "50.50", 5_050)).toEqual([
    "The amount must be a multiple of 1.00 in MGA: Stripe takes whole ariary only.",
    "The amount must be a multiple of 100 in MGA: Stripe takes whole ariary only.",
  ]);
  expect(await refusals("UGX", "1000000", 1_000_000)).toEqual([
    "The amount must not be greater than 999999 in UGX: Stripe takes no more at once.",
    "The amount must not be greater than 999999 in UGX: Stripe takes no more at once.",
  ]);
});

test.each([
  ["THB", "9.00", "The amount must be at least THB 10.00: Stripe charges no less."],
  ["KWD", "5.125", "The amount must be a multiple of KWD 0.010: Stripe takes no third digit."],
])(
  "the note of an order over %s %s names a gateway's limit as people write it",
  async (currency, total, words) => {
    await connectGateway(world.tenant.ctx.live, { secret_key: `sk_live_${newId()}` });
    world.connect(world.kutip.origin, world.tenant.keys.live);
    const id = world.shop.order(total, currency);
    await world.shop.checkout(id);
    expect(world.shop.read(id).notes).toEqual([`Kutip made no payment link: ${words}`]);
  },
);
