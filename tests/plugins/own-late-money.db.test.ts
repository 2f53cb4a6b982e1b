import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { withTransaction } from "@/db/client";
import { simulatorSessions as sessions } from "@/db/schema/simulator";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { findPayment } from "@/lib/domain/payments/rows";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { tick } from "@/lib/gateways/simulator/job";
import { pressButton } from "@/lib/gateways/simulator/page";
import { hurry } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { press } from "../money/setting-verbs";
import { newWorld } from "./own-setting";

const world = newWorld();
const statuses = async () => (await world.links()).map(({ status }) => status).sort();
const notesOf = (id: number, words: string) =>
  world.shop.read(id).notes?.filter((note) => note.includes(words));

/** The payer has paid through a link, and the bank has not confirmed it. */
async function paymentIsUnderWay() {
  const id = world.shop.order("12.50");
  await world.shop.checkout(id);
  const [link] = await world.links();
  const session = await press(world.tenant.ctx.test, link?._id ?? "");
  await pressButton(session ?? "", "approve_later", "1");
  const [{ _id: payment } = { _id: "" }] = await world.payments();
  const settles = async () =>
    reconcile(world.tenant.ctx.test, (await findPayment(world.tenant.ctx.test, payment)) as never);
  await settles();
  const bankConfirms = async () => {
    const { connection } = await resolveGateway(world.tenant.ctx.test);
    await hurry(connection.id);
    await tick(connection.id, "http://127.0.0.1:9");
    await settles();
  };
  /** The page ends with it, stays open for another try, or was left. */
  const bankRefuses = async (state: "failed" | "open" | "cancelled") => {
    const refusal =
      state === "failed" ? ({ decline: "soft", reason: "The bank refused." } as const) : {};
    await withTransaction((tx) =>
      tx
        .update(sessions)
        .set({ state, settlesAt: null, ...refusal })
        .where(eq(sessions.page, session ?? "")),
    );
    await settles();
  };
  return { id, payment, bankConfirms, bankRefuses };
}

test("money that arrives after the order was cancelled leaves a note, and the order stays cancelled", async () => {
  const { id, payment, bankConfirms } = await paymentIsUnderWay();
  await world.shop.setStatus(id, "cancelled");
  await world.shop.runScheduled();
  expect(notesOf(id, "can still be paid. A payment is being processed.")).toHaveLength(1);
  await bankConfirms();
  await world.noteComes(id, `(${payment}) after this order or its payment link had ended`);
  expect(world.shop.read(id)).toMatchObject({ status: "cancelled" });
  expect(world.shop.read(id)).not.toHaveProperty("completed");
  while ((await world.shop.runScheduled()) > 0);
  expect(notesOf(id, "can still be paid")).toHaveLength(1);
});

test.each(["open", "cancelled", "failed"] as const)(
  "a link with a payment under way is cancelled when that payment brings no money: its page is then %s",
  async (state) => {
    const { id, bankRefuses } = await paymentIsUnderWay();
    await world.shop.update(id, { payment_method: "bacs" });
    await world.shop.setStatus(id, "processing");
    await world.shop.runScheduled();
    await world.shop.setStatus(id, "completed");
    await world.shop.runScheduled();
    expect(await statuses()).toEqual(["Processing"]);
    expect(notesOf(id, "can still be paid")).toHaveLength(1);
    await bankRefuses(state);
    expect(await statuses()).toEqual(["Active"]);
    await world.shop.runScheduled();
    expect(await statuses()).toEqual(["Cancelled"]);
    while ((await world.shop.runScheduled()) > 0);
    expect(notesOf(id, "so its payment link was cancelled")).toHaveLength(1);
  },
);

test("the link of an order that is deleted while a payment is under way is cancelled when that payment brings no money", async () => {
  const { id, bankRefuses } = await paymentIsUnderWay();
  await world.shop.remove(id, "delete");
  // More than an hour of tries.
  for (let tries = 0; tries < 20; tries += 1) await world.shop.runScheduled();
  await bankRefuses("open");
  await world.shop.runScheduled();
  expect(await statuses()).toEqual(["Cancelled"]);
  expect(await world.shop.runScheduled()).toBe(0);
});

test("a payment that fails makes the shop look at once", async () => {
  const { id, bankRefuses } = await paymentIsUnderWay();
  await world.shop.setStatus(id, "cancelled");
  await world.shop.runScheduled();
  world.shop.beginAgain();
  await bankRefuses("failed");
  await world.noteComes(id, "did not go through");
  await world.shop.runScheduled();
  expect(await statuses()).toEqual(["Cancelled"]);
});

test("an order that asks for its money again keeps its link, and is tried anew when it ends once more", async () => {
  const { id, bankRefuses } = await paymentIsUnderWay();
  await world.shop.setStatus(id, "cancelled");
  await world.shop.runScheduled();
  await world.shop.setStatus(id, "pending");
  while ((await world.shop.runScheduled()) > 0);
  expect(world.shop.read(id).meta).not.toHaveProperty("_kutip_retried_link");
  await world.shop.setStatus(id, "cancelled");
  await world.shop.runScheduled();
  await bankRefuses("open");
  await world.shop.runScheduled();
  expect(await statuses()).toEqual(["Cancelled"]);
});

test("money of a link that was paid before its order changed keeps its note, and the link is asked about once", async () => {
  const id = world.shop.order("12.50");
  await world.pay(id);
  await world.shop.update(id, { total: "99.00" });
  await world.shop.runScheduled();
  await world.statusBecomes(id, "on-hold");
  expect(notesOf(id, "Refund it in Kutip, or settle the difference.")).toHaveLength(1);
  expect(notesOf(id, "cancel")).toEqual([]);
  await world.shop.runScheduled();
  await world.shop.update(id, {});
  expect(await world.shop.runScheduled()).toBe(0);
  expect((await world.shop.refund(id, "12.50")).error).toBe(
    "Kutip took no payment that pays this order. Refund other money in Kutip.",
  );
});

/** Staff refund the money in Kutip, and ask the payer for the order's money again. */
async function asksAgain(id: number, payment: string, notedFirst: boolean) {
  if (notedFirst) await world.delivers(async () => (await deliveries()).pending, 0);
  await world.refundInKutip(payment, 1_250);
  await world.delivers(async () => (await deliveries()).pending, 0);
  await world.shop.setStatus(id, "pending");
  expect((await world.shop.checkout(id)).redirect).not.toContain(world.shop.origin);
  await world.pay(id);
  await world.statusBecomes(id, "processing");
  expect(await statuses()).toEqual(["Paid", "Paid"]);
  expect(world.shop.read(id)).toMatchObject({ completed: 1 });
  while ((await world.shop.runScheduled()) > 0);
  expect(notesOf(id, "can still be paid")).toEqual([]);
}
const deliveries = async () => {
  const { data } = await world.read<{ data: { status: string }[] }>(
    `/webhook-endpoints/${world.endpoint}/deliveries`,
  );
  return { pending: data.filter(({ status }) => status === "pending").length };
};

test.each<[string, boolean, (id: number) => Promise<unknown>]>([
  ["that costs more by then", true, (id) => world.shop.update(id, { total: "99.00" })],
  ["that was cancelled meanwhile", true, (id) => world.shop.setStatus(id, "cancelled")],
  ["that was cancelled meanwhile", false, (id) => world.shop.setStatus(id, "cancelled")],
])(
  "an order %s can be paid by another link after its first money was refunded (noted before that: %j)",
  async (_name, notedFirst, change) => {
    const id = world.shop.order("12.50");
    await world.pay(id);
    await change(id);
    const [payment] = await world.payments();
    await asksAgain(id, payment?._id ?? "", notedFirst);
  },
);

test("an order that was paid through an earlier link has its other link cancelled", async () => {
  const id = world.shop.order("12.50");
  await world.shop.checkout(id);
  const [first] = await world.links();
  await world.shop.setStatus(id, "cancelled");
  await world.shop.runScheduled();
  await world.shop.setStatus(id, "pending");
  await world.shop.checkout(id);
  expect(await statuses()).toEqual(["Active", "Cancelled"]);
  // Staff have opened the first one again in Kutip.
  const data = { _id: newId(), status: "succeeded", amount: 1_250, currency: "MYR", flags: [] };
  const paid = { ...data, payment_link_id: first?._id, reference: String(id) };
  const event = { _id: newId(), type: "payment.succeeded", mode: "test", data: paid };
  expect(await world.post(event)).toBe(200);
  expect(world.shop.read(id)).toMatchObject({ status: "processing" });
  await world.shop.runScheduled();
  expect(await statuses()).toEqual(["Cancelled", "Cancelled"]);
  expect(await world.shop.runScheduled()).toBe(0);
});

test("the link of an order stays its own when late money of it is reported: it can be opened again, and is cancelled with the order", async () => {
  const id = world.shop.order("12.50");
  await world.shop.checkout(id);
  const [link] = await world.links();
  const data = { _id: newId(), status: "succeeded", amount: 1_250, currency: "MYR" };
  const event = { _id: newId(), type: "payment.succeeded", mode: "test" };
  const late = { ...data, payment_link_id: link?._id, reference: String(id), flags: ["late"] };
  expect(await world.post({ ...event, data: late })).toBe(200);
  await world.shop.setStatus(id, "cancelled");
  await world.shop.runScheduled();
  expect(await statuses()).toEqual(["Cancelled"]);
});
