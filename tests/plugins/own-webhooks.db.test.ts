import { describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { newWorld, type Sent } from "./own-setting";

const world = newWorld();

describe("webhooks", () => {
  const { post } = world;
  /** An order with a link, and the event that would pay it. */
  async function waiting(change: object = {}, type = "payment.succeeded", mode = "test") {
    const id = world.shop.order("12.50");
    await world.shop.checkout(id);
    const [link] = await world.links();
    const data = {
      _id: newId(),
      status: "succeeded",
      amount: 1_250,
      currency: "MYR",
      refunded_amount: 0,
      payment_link_id: link?._id,
      reference: String(id),
      flags: [],
      message: null,
      ...change,
    };
    return { id, event: { _id: newId(), type, mode, data } };
  }
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const otherKey = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;

  test("a genuine event pays once, however often it comes, at once or later", async () => {
    const { id, event } = await waiting();
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(event)));
    expect(answers).toEqual([200, 200, 200, 200]);
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({ status: "processing", completed: 1 });
    const { notes } = world.shop.read(id);
    expect(await post({ ...event, _id: newId() })).toBe(200);
    expect(world.shop.read(id)).toMatchObject({ completed: 1, notes });
  });

  test.each(["payment.succeeded", "payment.refunded"])(
    "an order that WooCommerce could not complete is paid by the next delivery of %s",
    async (type) => {
      const { id, event } = await waiting({ refunded_amount: 500 }, type);
      world.shop.edit(id, { completion_fails: 1 });
      expect(await post(event)).toBe(503);
      expect(world.shop.read(id)).not.toHaveProperty("completed");
      expect(await post(event)).toBe(200);
      expect(world.shop.read(id)).toMatchObject({ status: "processing", completed: 1 });
      expect(world.shop.read(id).refunds ?? []).toHaveLength(type === "payment.refunded" ? 1 : 0);
    },
  );

  test("an order in a status that WooCommerce does not complete keeps its payment, and one note asks to change the status", async () => {
    const { id, event } = await waiting();
    world.shop.edit(id, { status: "packed" });
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({
      status: "packed",
      transaction_id: event.data._id,
    });
    const { notes } = world.shop.read(id);
    expect(notes?.at(-1)).toBe(
      `Kutip took MYR 12.50 (${event.data._id}), and this order is paid. WooCommerce completes no order with the status “packed”. Change the status by hand.`,
    );
    const refunded = { ...event.data, status: "partially_refunded", refunded_amount: 300 };
    await post({ ...event, _id: newId(), type: "payment.refunded", data: refunded });
    expect(world.shop.read(id)).toMatchObject({ status: "packed", refunds: [{ amount: "3.00" }] });
    await world.shop.setStatus(id, "processing");
    expect(await post({ ...event, _id: newId() })).toBe(200);
    expect(world.shop.read(id).notes?.filter((note) => note.includes("Kutip took"))).toHaveLength(
      1,
    );
  });

  test("an order that staff move on after it was paid is not completed again by a later event", async () => {
    const { id, event } = await waiting();
    await post(event);
    await world.shop.setStatus(id, "on-hold");
    expect(await post({ ...event, _id: newId() })).toBe(200);
    expect(world.shop.read(id)).toMatchObject({ status: "on-hold", completed: 1 });
  });

  test.each<[string, (event: object) => Sent]>([
    ["another secret", () => ({ key: otherKey })],
    ["an old timestamp", () => ({ at: minutes(-6) })],
    ["a timestamp of the future", () => ({ at: minutes(6) })],
    ["changed bytes", (event) => ({ body: JSON.stringify(event).replace("1250", "1251") })],
    ["bytes that mean the same", (event) => ({ body: `${JSON.stringify(event)} ` })],
  ])("%s is refused and changes nothing", async (_name, change) => {
    const { id, event } = await waiting();
    expect(await post(event, change(event))).toBe(401);
    expect(world.shop.read(id).status).toBe("pending");
  });

  test("a signature for another id, and an event of live mode, are refused", async () => {
    const { id, event } = await waiting();
    expect(await post(event, { id: newId() })).toBe(400);
    expect(await post({ ...event, mode: "live" })).toBe(422);
    expect(world.shop.read(id).status).toBe("pending");
  });

  test.each([
    ["another amount", { amount: 1_249 }],
    ["another currency", { currency: "SGD" }],
    ["an amount that is text", { amount: "1250" }],
  ])("%s than the order's does not pay it", async (_name, change) => {
    const { id, event } = await waiting(change);
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({ status: "on-hold" });
    expect(world.shop.read(id)).not.toHaveProperty("completed");
  });

  test("an event of a link that this shop did not make leaves an order of the same number alone", async () => {
    const { id, event } = await waiting({ payment_link_id: newId() });
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({ status: "pending" });
  });

  test("a refund that is reported before its payment, and the payment after it: paid once, refunded once", async () => {
    const { id, event } = await waiting();
    const refunded = (amount: number) => ({
      ...event,
      _id: newId(),
      type: "payment.refunded",
      data: { ...event.data, status: "partially_refunded", refunded_amount: amount },
    });
    expect(await post(refunded(500))).toBe(200);
    expect(await post(event)).toBe(200);
    expect(await post(refunded(300))).toBe(200);
    expect(world.shop.read(id)).toMatchObject({
      status: "processing",
      completed: 1,
      refunds: [{ amount: "5.00" }],
    });
  });

  test("an event that leaves a note leaves one, however often it comes", async () => {
    const { id, event } = await waiting({ message: "The card was declined." }, "payment.failed");
    await Promise.all(Array.from({ length: 4 }, () => post(event)));
    const notes = world.shop
      .read(id)
      .notes?.filter((note) => note.includes("The card was declined."));
    expect(notes).toHaveLength(1);
    expect(world.shop.read(id).status).toBe("pending");
  });

  test("money that is flagged as late leaves a note and does not pay", async () => {
    const { id, event } = await waiting({ flags: ["late"] });
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({ status: "pending" });
    expect(world.shop.read(id).notes?.join()).toContain("had ended");
  });

  test("the right amount that comes after an amount mismatch pays the order", async () => {
    const { id, event } = await waiting({ flags: ["amount_mismatch", "resolved"] });
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({ status: "processing" });
  });

  test("a payment that was resolved leaves a note, and its order can still be paid", async () => {
    const change = { status: "cancelled", flags: ["amount_mismatch", "resolved"] };
    const { id, event } = await waiting(change, "payment.flagged");
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id).status).toBe("pending");
    expect(world.shop.read(id).notes?.join()).toContain("is resolved");
  });

  test("a second payment of a paid order is a note", async () => {
    const { id, event } = await waiting();
    await post(event);
    await post({ ...event, _id: newId(), data: { ...event.data, _id: newId() } });
    expect(world.shop.read(id)).toMatchObject({ status: "processing", completed: 1 });
    expect(world.shop.read(id).notes?.join()).toContain("is paid already");
  });

  test("an order that was marked as paid by hand before its webhook came keeps its status and gets the payment, its failed refunds and its refunds", async () => {
    const { id, event } = await waiting();
    world.shop.edit(id, { status: "completed" });
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({
      status: "completed",
      transaction_id: event.data._id,
    });
    expect(world.shop.read(id)).not.toHaveProperty("completed");
    const { notes } = world.shop.read(id);
    expect(notes?.join()).toContain(
      `Kutip took MYR 12.50 (${event.data._id}). The order had been marked as paid by hand.`,
    );
    expect(await post({ ...event, _id: newId() })).toBe(200);
    expect(world.shop.read(id).notes).toEqual(notes);

    const failed = { payment_id: event.data._id, amount: 500, message: "The bank sent it back." };
    await post({ ...event, _id: newId(), type: "refund.failed", data: failed });
    expect(world.shop.read(id).notes?.join()).toContain("the refund of MYR 5.00 failed");
    const refunded = { ...event.data, status: "partially_refunded", refunded_amount: 300 };
    await post({ ...event, _id: newId(), type: "payment.refunded", data: refunded });
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "3.00" }]);
  });

  test.each<[string, object]>([
    ["pending", {}],
    ["failed", {}],
    ["pending", { transaction_id: "cash-1" }],
  ])(
    "an order that was marked as paid by mistake and is %s again is paid by its payer's money: %j",
    async (status, change) => {
      const { id, event } = await waiting();
      world.shop.edit(id, { ...change, status, date_paid: 1 });
      expect(await post(event)).toBe(200);
      expect(world.shop.read(id)).toMatchObject({
        status: "processing",
        completed: 1,
        transaction_id: event.data._id,
      });
      const notes = world.shop.read(id).notes?.join();
      expect(notes).not.toContain("Refund it");
      expect(notes).not.toContain("marked as paid by hand");
      expect(await post({ ...event, _id: newId() })).toBe(200);
      expect(world.shop.read(id)).toMatchObject({ status: "processing", completed: 1 });
    },
  );

  test("a refund that is reported before the payment of an order marked as paid by hand is recorded", async () => {
    const refund = { refunded_amount: 300, status: "partially_refunded" };
    const { id, event } = await waiting(refund, "payment.refunded");
    world.shop.edit(id, { status: "processing" });
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({
      status: "processing",
      transaction_id: event.data._id,
      refunds: [{ amount: "3.00" }],
    });
  });

  test.each<[string, object, object]>([
    ["came late", { flags: ["late"] }, {}],
    ["is a duplicate", { flags: ["duplicate"] }, {}],
    ["is of another amount", { amount: 1_249 }, {}],
    ["meets an order with a transaction of its own", {}, { transaction_id: "cash-1" }],
    ["meets an order that was cancelled after that", {}, { status: "cancelled", date_paid: 1 }],
  ])(
    "a payment that %s is not taken for that of an order marked as paid by hand",
    async (_name, change, order) => {
      const { id, event } = await waiting(change);
      world.shop.edit(id, { status: "processing", ...order });
      const { status, transaction_id } = world.shop.read(id);
      expect(await post(event)).toBe(200);
      expect(world.shop.read(id).notes?.join()).toContain("which is paid already");
      expect(world.shop.read(id).status).toBe(status);
      expect(world.shop.read(id).transaction_id).toBe(transaction_id);
    },
  );

  test.each<[string, object]>([
    ["that came late", { flags: ["late"] }],
    ["of another amount", { amount: 1_249 }],
  ])("a refund of a payment %s is one note, and changes nothing", async (_name, change) => {
    const refund = { refunded_amount: 500, status: "partially_refunded", ...change };
    const { id, event } = await waiting(refund, "payment.refunded");
    const { notes: before = [] } = world.shop.read(id);
    expect(await post(event)).toBe(200);
    expect(world.shop.read(id)).toMatchObject({ status: "pending" });
    expect(world.shop.read(id).refunds ?? []).toEqual([]);
    expect(world.shop.read(id).notes?.slice(before.length)).toEqual([
      expect.stringContaining("Kutip shows MYR 5.00 of payment"),
    ]);
  });

  test("the refund of a second payment says what was given back, and does not ask to refund it again", async () => {
    const { id, event } = await waiting();
    await post(event);
    const second = { ...event.data, _id: newId(), refunded_amount: 1_250 };
    await post({ ...event, _id: newId(), type: "payment.refunded", data: second });
    const notes = world.shop.read(id).notes?.join();
    expect(notes).toContain(`Kutip shows MYR 12.50 of payment ${second._id} as given back.`);
    expect(notes).not.toContain("is paid already");
    expect(world.shop.read(id).refunds ?? []).toEqual([]);
  });

  test.each([
    ["open", "the payer disputes payment"],
    ["won", "was won. The money stays with you."],
    ["lost", "was lost. The payer’s bank keeps the money."],
  ])("a dispute that is %s gets a note that says so", async (dispute_status, words) => {
    const { id, event } = await waiting({ dispute_status }, "payment.disputed");
    expect(await post(event)).toBe(200);
    const notes = world.shop.read(id).notes ?? [];
    expect(notes.filter((note) => note.includes("disput"))).toEqual([
      expect.stringContaining(words),
    ]);
  });

  test.each([
    ["of another amount", ["amount_mismatch", "resolved"], "Another amount arrived."],
    ["without an answer", ["resolved"], "The payment provider never confirmed it."],
  ])(
    "a payment %s that staff resolved is not called one that took nothing",
    async (_name, flags, message) => {
      const { id, event } = await waiting({ flags, message }, "payment.failed");
      expect(await post(event)).toBe(200);
      const notes = world.shop.read(id).notes?.join();
      expect(notes).toContain(`does not pay this order. ${message} Staff have dealt with it`);
      expect(notes).not.toContain("Nothing was taken");
    },
  );
});
