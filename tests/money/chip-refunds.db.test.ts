import { eq, sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { gatewayEvents } from "@/db/schema/payments";
import { findRefund, type RefundRow } from "@/lib/domain/payments/refunds/rows";
import { findPayment } from "@/lib/domain/payments/rows";
import { work } from "@/lib/flows/callback/steps";
import { syncRefundsAndDisputes } from "@/lib/flows/dispute/steps";
import { reconcileRefund } from "@/lib/flows/refund/reconcile";
import { create as refund } from "@/lib/flows/refund/steps";
import { runningChip } from "../chip-peer/running";
import { callBack, type ChipShop, lastEvent, newChipShop, paidAtChip } from "./chip-setting";

const peer = runningChip();

afterAll(closePool);

const givenBack = ({ bank }: ChipShop) => bank.refunds.map(({ payment }) => payment.amount);
const rowOf = async ({ ctx }: ChipShop, id: string) => (await findRefund(ctx, id)) as RefundRow;
const look = async (shop: ChipShop, id: string) => reconcileRefund(shop.ctx, await rowOf(shop, id));
const age = (id: string) =>
  db.execute(
    sql`update refunds set started_at = (select started_at - interval '16 minutes') where id = ${id}`,
  );
const operation = "POST /purchases/{id}/refund/";
const sent = () => peer.calls.filter((call) => call === operation).length;

describe("refunds at CHIP", () => {
  test("parts are given back, each once", async () => {
    const shop = await newChipShop(peer);
    const { id } = await paidAtChip(shop, 1_000);
    expect(await refund(shop.ctx, id, { amount: 300 })).toMatchObject({ status: "succeeded" });
    expect(await refund(shop.ctx, id, {})).toMatchObject({ status: "succeeded", amount: 700 });
    expect(givenBack(shop)).toEqual([300, 700]);
    expect(await findPayment(shop.ctx, id)).toMatchObject({ status: "refunded" });
  });

  test("one whose answer is lost is found by the money that went back, and holds off others until then", async () => {
    const shop = await newChipShop(peer);
    const { id } = await paidAtChip(shop, 1_000);
    await refund(shop.ctx, id, { amount: 300 });
    peer.lose(operation);
    const lost = await refund(shop.ctx, id, { amount: 300 });
    expect(lost.status).toBe("unknown");
    await expect(refund(shop.ctx, id, { amount: 100 })).rejects.toMatchObject({ status: 409 });
    const before = sent();
    expect(await look(shop, lost._id)).toMatchObject({ status: "succeeded" });
    expect(sent()).toBe(before);
    expect(givenBack(shop)).toEqual([300, 300]);
    expect(await refund(shop.ctx, id, { amount: 100 })).toMatchObject({ status: "succeeded" });
  });

  test("one that never reached CHIP is not sent again, and fails once no request can be on its way", async () => {
    const shop = await newChipShop(peer);
    const { id } = await paidAtChip(shop, 1_000);
    peer.trouble = { status: 502, body: "" };
    const lost = await refund(shop.ctx, id, { amount: 300 }).catch(() => null);
    peer.trouble = null;
    expect(lost).toBeNull();
    peer.lose(operation);
    const made = await refund(shop.ctx, id, { amount: 300 });
    const [gone] = shop.bank.refunds.splice(0);
    const purchase = shop.bank.purchase(gone?.related_to.id ?? "");
    Object.assign(purchase, {
      status: "paid",
      refundable_amount: 1_000,
      status_history: purchase.status_history.filter(({ status }) => status !== "refunded"),
    });
    const before = sent();
    expect(await look(shop, made._id)).toMatchObject({ status: "unknown" });
    await age(made._id);
    expect(await look(shop, made._id)).toMatchObject({ status: "failed" });
    expect(sent()).toBe(before);
  });

  test("a pending one goes through later, or fails", async () => {
    const shop = await newChipShop(peer);
    const { id } = await paidAtChip(shop, 1_000);
    shop.bank.nextRefund = "pending";
    const first = await refund(shop.ctx, id, { amount: 400 });
    expect(first.status).toBe("pending");
    shop.bank.settle();
    expect(await look(shop, first._id)).toMatchObject({ status: "succeeded" });
    shop.bank.nextRefund = "pending";
    const second = await refund(shop.ctx, id, { amount: 100 });
    shop.bank.failRefund(shop.bank.purchase((await findPayment(shop.ctx, id))?.gatewayId ?? ""));
    await age(second._id);
    expect(await look(shop, second._id)).toMatchObject({ status: "failed" });
    expect(givenBack(shop)).toEqual([400]);
  });

  test("one that was made at CHIP is booked by its webhook, once", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    await refund(shop.ctx, payment.id, { amount: 300 });
    shop.bank.refund(payment.gatewayId ?? "", 200);
    const body = lastEvent(shop, "payment.refunded");
    expect([await callBack(shop, body), await callBack(shop, body)]).toEqual([200, 200]);
    await expect
      .poll(async () => (await findPayment(shop.ctx, payment.id))?.refundedAmount, {
        interval: 20,
        timeout: 15_000,
      })
      .toBe(500);
    await syncRefundsAndDisputes(shop.ctx, payment.id);
    expect((await findPayment(shop.ctx, payment.id))?.refundedAmount).toBe(500);
  });

  test("two that were made at CHIP at once are left to staff: CHIP shows only their sum", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    shop.bank.refund(payment.gatewayId ?? "", 200);
    shop.bank.refund(payment.gatewayId ?? "", 100);
    await expect(syncRefundsAndDisputes(shop.ctx, payment.id)).rejects.toThrow(
      "the sum of several",
    );
    await expect(refund(shop.ctx, payment.id, { amount: 50 })).rejects.toMatchObject({
      code: "refund_unsupported",
      message: expect.stringMatching(/record each one that is missing\.$/),
    });
    for (const amount of [200, 100])
      expect(await refund(shop.ctx, payment.id, { amount, made_at_gateway: true })).toMatchObject({
        status: "succeeded",
      });
    await syncRefundsAndDisputes(shop.ctx, payment.id);
    expect(await refund(shop.ctx, payment.id, { amount: 50 })).toMatchObject({
      status: "succeeded",
    });
    expect(givenBack(shop)).toEqual([200, 100, 50]);
    expect((await findPayment(shop.ctx, payment.id))?.refundedAmount).toBe(350);

    peer.lose(operation);
    const lost = await refund(shop.ctx, payment.id, { amount: 30 });
    expect(lost.status).toBe("unknown");
    await age(lost._id);
    expect(await look(shop, lost._id)).toMatchObject({
      status: "succeeded",
      gatewayId: shop.bank.refunds.at(-1)?.id,
    });
    shop.bank.refund(payment.gatewayId ?? "", 20);
    await expect(syncRefundsAndDisputes(shop.ctx, payment.id)).rejects.toThrow(
      "the sum of several",
    );
    await refund(shop.ctx, payment.id, { amount: 20, made_at_gateway: true });
    await syncRefundsAndDisputes(shop.ctx, payment.id);
    expect(givenBack(shop)).toEqual([200, 100, 50, 30, 20]);
    expect((await findPayment(shop.ctx, payment.id))?.refundedAmount).toBe(400);
  });

  test("one that CHIP cannot make says how to return the money, and is recorded once staff have done so", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    const purchase = shop.bank.purchase(payment.gatewayId ?? "");
    purchase.refund_availability = "none";
    // CHIP does not document whether an amount is left of such a payment.
    for (const left of [1_000, 1_000, 0]) {
      purchase.refundable_amount = left;
      await expect(refund(shop.ctx, payment.id, { amount: 50 })).rejects.toMatchObject({
        code: "refund_unsupported",
        message:
          "CHIP cannot refund this payment through its API. Return the money to the payer by bank transfer or in CHIP, then record the refund here.",
      });
      const recorded = await refund(shop.ctx, payment.id, { amount: 50, made_at_gateway: true });
      expect(recorded.status).toBe("succeeded");
      expect(await syncRefundsAndDisputes(shop.ctx, payment.id)).toMatchObject({ problems: [] });
    }
    expect(givenBack(shop)).toEqual([]);
  });

  test("while one has no outcome, nothing says how to return the money another way", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    peer.lose(operation);
    await refund(shop.ctx, payment.id, {});
    shop.bank.purchase(payment.gatewayId ?? "").refund_availability = "none";
    await expect(refund(shop.ctx, payment.id, { amount: 50 })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("all that was given back at CHIP, which then refunds no more, is recorded and not asked for again", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    for (const amount of [600, 400]) shop.bank.refund(payment.gatewayId ?? "", amount);
    shop.bank.purchase(payment.gatewayId ?? "").refund_availability = "none";
    await expect(refund(shop.ctx, payment.id, {})).rejects.toMatchObject({
      code: "refund_unsupported",
      message: expect.stringMatching(/record each one that is missing\.$/),
    });
  });

  test("a webhook about refunds that CHIP does not tell apart reaches staff after a quarter of an hour", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    shop.bank.refund(payment.gatewayId ?? "", 200);
    shop.bank.refund(payment.gatewayId ?? "", 100);
    expect(await callBack(shop, lastEvent(shop, "payment.refunded"))).toBe(200);
    const stored = async () => {
      const of = eq(gatewayEvents.connectionId, shop.connectionId);
      const rows = await db.select().from(gatewayEvents).where(of);
      const row = rows.find(({ about }) => about === "refund");
      if (!row) throw new Error("no callback");
      return row;
    };
    await expect.poll(async () => (await stored()).tries).toBe(1);
    expect(await stored()).toMatchObject({ state: "new", problem: null });
    const createdAt = new Date(Date.now() - 16 * 60_000).toISOString();
    await work({ ...(await stored()), mode: "test", createdAt }, "chip-test");
    expect(await stored()).toMatchObject({
      state: "quarantined",
      problem: expect.stringContaining("record each one that is missing"),
    });
  });

  test("one that is pending is stored without the purchase's id, which no refund has", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    shop.bank.nextRefund = "pending";
    const pending = await refund(shop.ctx, payment.id, { amount: 300 });
    expect(pending.status).toBe("pending");
    expect((await rowOf(shop, pending._id)).gatewayId).toBeNull();
  });

  test("one whose answer is lost is not booked as another one by a webhook that comes first", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    peer.lose(operation);
    const lost = await refund(shop.ctx, payment.id, { amount: 300 });
    expect(lost.status).toBe("unknown");
    await syncRefundsAndDisputes(shop.ctx, payment.id).catch(() => null);
    expect(await look(shop, lost._id)).toMatchObject({ status: "succeeded" });
    await syncRefundsAndDisputes(shop.ctx, payment.id);
    expect((await findPayment(shop.ctx, payment.id))?.refundedAmount).toBe(300);
  });

  test.each([0, 2])(
    "a chargeback marks the payment as disputed after %i refunds made at CHIP, and its money is left to staff",
    async (refunds) => {
      const shop = await newChipShop(peer);
      const payment = await paidAtChip(shop, 1_000);
      for (let made = 0; made < refunds; made++) shop.bank.refund(payment.gatewayId ?? "", 100);
      shop.bank.chargeBack(shop.bank.purchase(payment.gatewayId ?? ""));
      expect(await callBack(shop, lastEvent(shop, "payment.charged_back"))).toBe(200);
      await expect
        .poll(async () => (await findPayment(shop.ctx, payment.id))?.status, {
          interval: 20,
          timeout: 15_000,
        })
        .toBe("disputed");
      const problems = async () =>
        (
          await db.execute<{ problem: string }>(
            sql`select problem from gateway_events where connection_id = ${shop.connectionId} and problem is not null`,
          )
        ).rows;
      // Written when the callback is done, a moment after the payment.
      await expect
        .poll(problems, { interval: 20, timeout: 15_000 })
        .toMatchObject([{ problem: expect.stringContaining("is not booked") }]);
    },
  );
});
