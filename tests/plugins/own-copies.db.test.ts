import { expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { newWorld } from "./own-setting";

const world = newWorld();
const statuses = async () => (await world.links()).map(({ status }) => status).sort();

/** Another plugin makes a new order of one, with all that was kept with it. */
function copyOf(id: number, total: string, change: object = {}): number {
  const copy = world.shop.order(total);
  world.shop.edit(copy, { meta: world.shop.read(id).meta ?? {}, ...change });
  return copy;
}

/** As orders kept it before their values named them. */
const unnamed = (id: number) => {
  const { _kutip_order: _, ...meta } = world.shop.read(id).meta ?? {};
  world.shop.edit(id, { meta });
};

test.each<[string, (id: number) => void]>([
  ["", () => undefined],
  [" of an order from before", unnamed],
])("a copy%s that is changed, cancelled or deleted leaves the link alone", async (_name, first) => {
  const id = world.shop.order("30.00");
  await world.shop.checkout(id);
  first(id);
  const copy = copyOf(id, "20.00");
  await world.shop.update(copy, {});
  await world.shop.setStatus(copy, "cancelled");
  await world.shop.runScheduled();
  await world.shop.remove(copy, "delete");
  expect(await world.shop.runScheduled()).toBe(0);
  expect(await statuses()).toEqual(["Active"]);
  await world.pay(id);
  await world.statusBecomes(id, "processing");
  expect(await statuses()).toEqual(["Paid"]);
});

test("a copy of an open order and one of a paid order get links of their own, and are paid", async () => {
  const id = world.shop.order("12.50");
  await world.shop.checkout(id);
  const early = copyOf(id, "12.50");
  await world.pay(early);
  await world.statusBecomes(early, "processing");
  expect(await statuses()).toEqual(["Active", "Paid"]);
  await world.pay(id);
  await world.statusBecomes(id, "processing");
  const renewal = copyOf(id, "12.50");
  await world.pay(renewal);
  await world.statusBecomes(renewal, "processing");
  expect(await statuses()).toEqual(["Paid", "Paid", "Paid"]);
  const paid = [id, early, renewal].map((one) => world.shop.read(one).transaction_id);
  expect(new Set(paid).size).toBe(3);
});

test("a refund on a copy of a paid order is refused, and the first order can still be refunded", async () => {
  const { id, payment } = await world.paidOrder();
  const copy = copyOf(id, "12.50", { status: "processing" });
  expect((await world.shop.refund(copy, "12.50")).error).toContain("Kutip took no payment");
  expect(await world.refunds(payment)).toEqual([]);
  expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
});

test("a refund that failed is noted at the order that was paid, not at its copy", async () => {
  const { id, payment } = await world.paidOrder();
  const copy = copyOf(id, "12.50", { status: "processing", transaction_id: payment });
  const data = { payment_id: payment, amount: 400, message: "The bank sent it back." };
  expect(await world.post({ _id: newId(), type: "refund.failed", mode: "test", data })).toBe(200);
  expect(world.shop.read(id).notes?.join()).toContain("the refund of MYR 4.00 failed");
  expect(world.shop.read(copy)).not.toHaveProperty("notes");
});
