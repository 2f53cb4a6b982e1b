import { describe, expect, onTestFinished, test, vi } from "vitest";
import { withTransaction } from "@/db/client";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { failAfterAllIn } from "@/lib/domain/payments/refunds/settle";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { reconcileRefundsOf } from "@/lib/flows/refund/reconcile";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { tick } from "@/lib/gateways/simulator/job";
import { hurry, script } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { visitAsPayer } from "@/lib/operator/payer-browser";
import { line, newWorld, silence } from "./own-setting";

const world = newWorld();

describe("refunds on the order page", () => {
  const connection = async () => (await resolveGateway(world.tenant.ctx.test)).connection.id;
  /** The gateway makes the refunds that wait. */
  const refundsGoThrough = async (payment: string) => {
    await hurry(await connection());
    await tick(await connection(), "http://127.0.0.1:9");
    await reconcileRefundsOf(world.tenant.ctx.test, payment);
  };
  /** The payment as an event reports it now. */
  const refundedEvent = async (payment: string) => ({
    _id: newId(),
    type: "payment.refunded",
    mode: "test",
    data: await world.read<object>(`/payments/${payment}`),
  });

  test("part, then the rest: Kutip gives back, and the order is refunded", async () => {
    const { id, payment } = await world.paidOrder();
    expect(await world.shop.refund(id, "2.50")).toEqual({ error: null });
    expect(world.shop.read(id).status).toBe("processing");
    expect(await world.shop.refund(id, "10.00")).toEqual({ error: null });
    expect(world.shop.read(id)).toMatchObject({ status: "refunded" });
    expect((await world.refunds(payment)).map(({ amount, status }) => [amount, status])).toEqual([
      [1_000, "succeeded"],
      [250, "succeeded"],
    ]);
    // Its webhooks find everything recorded.
    await world.delivers(async () => (await deliveries()).pending, 0);
    expect(world.shop.read(id).refunds).toHaveLength(2);
  });

  const deliveries = async () => {
    const { data } = await world.read<{ data: { status: string }[] }>(
      `/webhook-endpoints/${world.endpoint}/deliveries`,
    );
    return { pending: data.filter(({ status }) => status === "pending").length };
  };

  test("a refund that waits is neither success nor failure: nothing is recorded until Kutip says so, and none is sent beside it", async () => {
    const { id, payment } = await world.paidOrder();
    await script(await connection(), "refund", "pending");
    const { error } = await world.shop.refund(id, "5.00");
    expect(error).toContain("has no outcome yet");
    expect(error).toContain("do not refund it in another way");
    expect(world.shop.read(id).refunds).toEqual([]);
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    expect((await world.shop.refund(id, "3.00")).error).toContain(
      "The refund of MYR 5.00 has no outcome",
    );
    expect(await world.refunds(payment)).toHaveLength(1);

    await refundsGoThrough(payment);
    await world.noteComes(id, "Kutip shows MYR 5.00 as given back.");
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "5.00" }]);
    expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
    expect((await world.refunds(payment)).map(({ amount }) => amount)).toEqual([500, 500]);
  });

  test("a refund that the gateway refuses is an error, and can be tried again", async () => {
    const { id, payment } = await world.paidOrder();
    await script(await connection(), "refund", "decline");
    expect((await world.shop.refund(id, "5.00")).error).toContain("Nothing was refunded");
    expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
    expect((await world.refunds(payment)).map(({ status }) => status)).toEqual([
      "succeeded",
      "failed",
    ]);
  });

  test.each([
    ["MYR", "12.50", 500, "10.00", "MYR 7.50"],
    ["JPY", "1250", 500, "1000", "JPY 750"],
  ])(
    "more than Kutip has left is refused with the amount that is left: %s",
    async (currency, total, gone, asked, left) => {
      const { id, payment } = await world.paidOrder(total, currency);
      await world.refundInKutip(payment, gone);
      expect((await world.shop.refund(id, asked)).error).toBe(
        `The amount must not be greater than ${left}.`,
      );
    },
  );

  test("a refund whose answer is lost is asked for again under its key, and made once", async () => {
    const { id, payment } = await world.paidOrder();
    const lossy = await line(world.kutip.origin, (method) => method === "GET");
    world.connect(lossy.origin);
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    world.connect();
    lossy.close();
    expect((await world.shop.refund(id, "3.00")).error).toContain(
      "The refund of MYR 5.00 has no outcome",
    );
    expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
    expect((await world.refunds(payment)).map(({ amount }) => amount)).toEqual([500]);
    expect(world.shop.read(id).refunds).toHaveLength(1);
  });

  test("a refund with a backslash in its reason is asked for again in the very words that were sent", async () => {
    const { id, payment } = await world.paidOrder();
    const lossy = await line(world.kutip.origin, (method) => method === "GET" || "unanswered");
    onTestFinished(lossy.close);
    world.connect(lossy.origin);
    expect((await world.shop.refund(id, "5.00", "A\\B")).error).toContain("has no outcome yet");
    world.connect();
    expect(await world.shop.refund(id, "5.00", "A\\B")).toEqual({ error: null });
    expect(await world.refunds(payment)).toHaveLength(1);
  });

  test("while Kutip does not say how the payment was made nothing is refunded, and the next refund need not wait", async () => {
    const { id, payment } = await world.paidOrder();
    const dead = await silence();
    world.connect(dead.origin);
    expect((await world.shop.refund(id, "5.00")).error).toContain("Nothing was refunded");
    world.connect();
    dead.close();
    expect(await world.shop.refund(id, "3.00")).toEqual({ error: null });
    expect((await world.refunds(payment)).map(({ amount }) => amount)).toEqual([300]);
  });

  test("a payment that was recorded by hand is not refunded on the order page: its money goes back by hand", async () => {
    const id = world.shop.order("12.50");
    await world.shop.checkout(id);
    const [link] = await world.links();
    const { _id: payment } = await recordManualPayment(world.tenant.ctx.test, link?._id ?? "", {
      method: "cash",
    });
    await world.statusBecomes(id, "processing");
    expect((await world.shop.refund(id, "5.00")).error).toBe(
      "This payment was recorded by hand in Kutip. Give the money back by hand, and use “Refund manually” here.",
    );
    expect(await world.refunds(payment)).toEqual([]);
    expect(world.shop.read(id).refunds).toEqual([]);

    await world.refundInKutip(payment, 500);
    await world.noteComes(id, "Kutip shows MYR 5.00 as given back.");
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "5.00" }]);
    expect(world.shop.read(id).notes?.join()).not.toContain("Kutip refunded");
  });

  test("a refund that the payment provider cannot make is recorded once, in Kutip, and nothing says that Kutip gave it back", async () => {
    const { id, payment } = await world.paidOrder();
    const support = vi.spyOn(simulatorGateway, "refundSupport");
    onTestFinished(() => support.mockRestore());
    support.mockResolvedValue({ kind: "unsupported", reason: "Record the refund here." });
    const { error } = await world.shop.refund(id, "5.00");
    expect(error).toMatch(/^Kutip cannot .* do not use “Refund manually”\.$/);
    expect(error).not.toContain("Record the refund here.");
    expect(world.shop.read(id).refunds).toEqual([]);

    await world.refundInKutip(payment, 500, { made_at_gateway: true });
    await world.noteComes(id, "Kutip shows MYR 5.00 as given back.");
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "5.00" }]);
    expect(world.shop.read(id).notes?.join()).not.toContain("Kutip refunded");
  });

  test.each(["posts", "tables"] as const)(
    "presses at the same time refund once or say that one is under way, where orders are kept as %s",
    async (storage) => {
      world.shop.keepOrdersAs(storage);
      const { id, payment } = await world.paidOrder();
      await script(await connection(), "refund", "pending");
      const pressed = await Promise.all([1, 2, 3].map(() => world.shop.refund(id, "2.00")));
      expect(pressed.map(({ error }) => error)).not.toContain(null);
      expect(await world.refunds(payment)).toHaveLength(1);
    },
  );

  test("a refund that staff make in Kutip is recorded", async () => {
    const { id, payment } = await world.paidOrder();
    await world.refundInKutip(payment, 400);
    await world.noteComes(id, "Kutip shows MYR 4.00 as given back.");
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "4.00" }]);
  });

  test("the failure of an earlier refund of the same amount does not end the one that waits", async () => {
    const { id, payment } = await world.paidOrder();
    await script(await connection(), "refund", "decline");
    expect((await world.shop.refund(id, "5.00")).error).toContain("Nothing was refunded");
    await script(await connection(), "refund", "pending");
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    await world.noteComes(id, "the refund of MYR 5.00 failed");
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    expect((await world.refunds(payment)).map(({ status }) => status)).toEqual([
      "pending",
      "failed",
    ]);
  });

  test("refunds of the same amount that staff make in Kutip do not end the one that waits", async () => {
    const { id, payment } = await world.paidOrder();
    await script(await connection(), "refund", "pending");
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    await world.refundInKutip(payment, 500);
    await world.noteComes(id, "Kutip shows MYR 5.00 as given back.");
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    expect(await world.refunds(payment)).toHaveLength(2);
    await refundsGoThrough(payment);
    await world.delivers(() => world.shop.read(id).refunds?.length, 2);
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "5.00" }, { amount: "5.00" }]);
  });

  test("a refund that is reported together with another has ended: the next of its amount is sent", async () => {
    const { id, payment } = await world.paidOrder("50.00");
    await script(await connection(), "refund", "pending");
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    await refundsGoThrough(payment);
    await world.refundInKutip(payment, 300);
    expect(await world.post(await refundedEvent(payment))).toBe(200);
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "8.00" }]);
    expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
    expect((await world.refunds(payment)).map(({ amount }) => amount)).toEqual([500, 300, 500]);
  });

  test("what staff gave back in cash is not counted as given back by Kutip", async () => {
    const { id, payment } = await world.paidOrder("100.00");
    expect(await world.shop.refundByHand(id, "20.00")).toEqual({ error: null });
    await world.refundInKutip(payment, 3_000);
    await world.noteComes(id, "Kutip shows MYR 30.00 as given back.");
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "20.00" }, { amount: "30.00" }]);
    expect(await world.shop.refund(id, "10.00")).toEqual({ error: null });
    await world.refundInKutip(payment, 500);
    await world.noteComes(id, "Kutip shows MYR 5.00 as given back.");
    expect(world.shop.read(id).refunds).toHaveLength(4);
  });

  test("a refund that was recorded while Kutip could not be asked about the open one is not taken for the next", async () => {
    const { id, payment } = await world.paidOrder();
    await script(await connection(), "refund", "pending");
    expect((await world.shop.refund(id, "5.00")).error).toContain("has no outcome yet");
    await refundsGoThrough(payment);
    const event = await refundedEvent(payment);
    const dead = await silence();
    world.connect(dead.origin);
    expect(await world.post(event)).toBe(200);
    world.connect();
    dead.close();
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "5.00" }]);
    expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
    expect((await world.refunds(payment)).map(({ amount }) => amount)).toEqual([500, 500]);
  });

  test("after a refund that failed after all and was deleted in WooCommerce, the next one is recorded", async () => {
    const { id, payment } = await world.paidOrder();
    expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
    const [refund] = await world.refunds(payment);
    const late = await refundedEvent(payment);
    await withTransaction((tx) =>
      failAfterAllIn(world.tenant.ctx.test, tx, refund?._id ?? "", "The bank sent it back."),
    );
    await world.noteComes(id, "the refund of MYR 5.00 failed");
    world.shop.edit(id, { refunds: [] });
    expect(await world.post(late)).toBe(200);
    expect(world.shop.read(id).refunds).toEqual([]);
    await world.refundInKutip(payment, 300);
    await world.noteComes(id, "Kutip shows MYR 3.00 as given back.");
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "3.00" }]);
  });

  test("an order that was marked as paid by hand before its webhook came is refunded on the order page", async () => {
    const id = world.shop.order("12.50");
    const { redirect = "" } = await world.shop.checkout(id);
    world.shop.edit(id, { status: "processing" });
    await visitAsPayer(world.kutip.origin, redirect, "approve");
    await world.noteComes(id, "The order had been marked as paid by hand.");
    expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
    const [payment] = await world.payments();
    expect(payment).toMatchObject({ refunded_amount: 500 });
  });

  test("an order without a payment, and no amount at all, are refused without a call", async () => {
    const id = world.shop.order("12.50");
    expect((await world.shop.refund(id, "5.00")).error).toContain("took no payment");
    const { id: paid } = await world.paidOrder();
    expect((await world.shop.refund(paid, "0.00")).error).toContain("greater than zero");
  });
});
