import { beforeEach, expect, test } from "vitest";
import { connect as connectGateway } from "@/lib/flows/connecting/steps";
import { newId } from "@/lib/kernel/ids";
import { runningPeer } from "../stripe-peer/running";
import { newWorld } from "./own-setting";

runningPeer();
const world = newWorld();
beforeEach(async () => {
  await connectGateway(world.tenant.ctx.live, { secret_key: `sk_live_${newId()}` });
});

const goLive = () => world.connect(world.kutip.origin, world.tenant.keys.live);
const goToTest = () => world.connect();
async function linksOf(mode: "test" | "live"): Promise<string[]> {
  const headers = { authorization: `Bearer ${world.tenant.keys[mode]}` };
  const answer = await fetch(`${world.kutip.origin}/api/payment-links`, { headers });
  const { data } = (await answer.json()) as { data: { data: { status: string }[] } };
  return data.data.map(({ status }) => status);
}
const runAll = async () => {
  while ((await world.shop.runScheduled()) > 0);
};

test.each<[string, (id: number) => Promise<unknown>]>([
  ["cancelled", (id) => world.shop.setStatus(id, "cancelled")],
  ["changed", (id) => world.shop.update(id, { total: "20.00" })],
  ["deleted", (id) => world.shop.remove(id, "delete")],
])(
  "the live link of an order that is %s while the shop has a key of test mode is cancelled once it has its live key again",
  async (_name, change) => {
    goLive();
    const id = world.shop.order("12.50");
    await world.shop.checkout(id);
    goToTest();
    await change(id);
    for (let tries = 0; tries < 20; tries += 1) await world.shop.runScheduled();
    expect(await linksOf("live")).toEqual(["Active"]);
    goLive();
    await world.shop.runScheduled();
    expect(await linksOf("live")).toEqual(["Cancelled"]);
  },
);

test("staff read why a live link is not cancelled, and its payer is asked not to pay again: no link of test mode is made beside it", async () => {
  goLive();
  const id = world.shop.order("12.50");
  await world.shop.checkout(id);
  goToTest();
  expect((await world.shop.checkout(id)).notices).toEqual([
    expect.stringContaining("Please do not pay again"),
  ]);
  expect(await linksOf("test")).toEqual([]);
  await world.shop.setStatus(id, "cancelled");
  await world.shop.runScheduled();
  expect(world.shop.read(id).notes?.at(-1)).toBe(
    "Kutip: the payment link is not cancelled and can still be paid. The link is of live mode, and the API key of this shop is not. The shop tries again to cancel it.",
  );
});

test("an event of test mode about an order with a live link that is lost is left alone", async () => {
  goLive();
  const id = world.shop.order("12.50");
  await world.shop.checkout(id);
  const { meta } = world.shop.read(id);
  world.shop.edit(id, { meta: { ...meta, _kutip_link_id: "" } });
  goToTest();
  const data = { _id: newId(), payment_link_id: newId(), reference: String(id) };
  const event = { _id: newId(), type: "payment.succeeded", mode: "test", data };
  expect(await world.post(event)).toBe(200);
  expect(await linksOf("test")).toEqual([]);
});

test("a shop that goes live lets go of links of test mode", async () => {
  const [paid, ended] = [world.shop.order("12.50"), world.shop.order("12.50")];
  for (const id of [paid, ended]) await world.shop.checkout(id);
  goLive();
  await world.shop.setStatus(ended, "cancelled");
  await runAll();
  expect(world.shop.read(ended).notes).toHaveLength(1);
  expect((await world.shop.checkout(paid)).result).toBe("success");
  expect(await linksOf("live")).toEqual(["Active"]);
});

test("a shop that goes live asks for the money of an order that was paid in test mode", async () => {
  const { id, payment } = await world.paidOrder();
  goLive();
  await world.shop.setStatus(id, "pending");
  expect((await world.shop.checkout(id)).redirect).not.toContain(world.shop.origin);
  expect((await world.shop.checkout(id)).redirect).not.toContain(world.shop.origin);
  expect(await linksOf("live")).toEqual(["Active"]);
  const { _kutip_link_id: link } = world.shop.read(id).meta ?? {};
  const paid = { _id: newId(), status: "succeeded", amount: 1_250, currency: "MYR", flags: [] };
  const data = { ...paid, payment_link_id: link, reference: String(id) };
  const event = { _id: newId(), type: "payment.succeeded", mode: "live", data };
  expect(await world.post(event)).toBe(200);
  expect(world.shop.read(id)).toMatchObject({ status: "processing", completed: 2 });
  expect(world.shop.read(id).transaction_id).not.toBe(payment);
});
