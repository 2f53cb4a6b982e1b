import { sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { resolve } from "@/lib/domain/payments/refunds/resolve";
import { findRefund, type RefundRow } from "@/lib/domain/payments/refunds/rows";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { syncRefundsAndDisputes } from "@/lib/flows/dispute/steps";
import { reconcileRefund } from "@/lib/flows/refund/reconcile";
import { create as refund } from "@/lib/flows/refund/steps";
import { connect, revoke } from "@/lib/flows/connecting/steps";
import { runningChip } from "../chip-peer/running";
import { type ChipShop, newChipShop, paidAtChip } from "./chip-setting";

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

describe("refunds at CHIP after one that went back by bank transfer", () => {
  /** A refund of 300 that staff recorded while the account was disconnected. */
  async function transferred() {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    await revoke(shop.ctx, shop.connectionId);
    await refund(shop.ctx, payment.id, { amount: 300, made_at_gateway: true });
    const { secret: secret_key, bank } = shop;
    await connect(shop.ctx, { gateway: "chip", secret_key, brand_id: bank.brandId });
    return { shop, id: payment.id, purchase: payment.gatewayId ?? "" };
  }
  const refunded = async ({ ctx }: ChipShop, id: string) =>
    (await findPayment(ctx, id))?.refundedAmount;

  test("CHIP makes the next ones, and one whose answer is lost is found", async () => {
    const { shop, id } = await transferred();
    expect(await refund(shop.ctx, id, { amount: 300 })).toMatchObject({ status: "succeeded" });
    peer.lose(operation);
    const lost = await refund(shop.ctx, id, { amount: 200 });
    await age(lost._id);
    expect(await look(shop, lost._id)).toMatchObject({
      status: "succeeded",
      gatewayId: shop.bank.refunds.at(-1)?.id,
    });
    expect(await syncRefundsAndDisputes(shop.ctx, id)).toMatchObject({ problems: [] });
    expect([givenBack(shop), await refunded(shop, id)]).toEqual([[300, 200], 800]);
  });

  test("one of the same amount whose answer is lost stays unknown: CHIP's may be either", async () => {
    const { shop, id } = await transferred();
    peer.lose(operation);
    const lost = await refund(shop.ctx, id, { amount: 300 });
    await syncRefundsAndDisputes(shop.ctx, id);
    await age(lost._id);
    expect(await look(shop, lost._id)).toMatchObject({ status: "unknown" });
  });

  test("one that never reached CHIP fails, and is free to be made again", async () => {
    const { shop, id } = await transferred();
    shop.bank.nextRefund = "pending";
    const made = await refund(shop.ctx, id, { amount: 100 });
    const { gatewayId } = (await findPayment(shop.ctx, id)) as PaymentRow;
    shop.bank.failRefund(shop.bank.purchase(gatewayId ?? ""));
    await age(made._id);
    expect(await look(shop, made._id)).toMatchObject({ status: "failed" });
    expect(await refund(shop.ctx, id, { amount: 100 })).toMatchObject({ status: "succeeded" });
    expect(givenBack(shop)).toEqual([100]);
  });

  test("one that was made at CHIP is recorded too, and no more goes back before", async () => {
    const { shop, id, purchase } = await transferred();
    shop.bank.refund(purchase, 200);
    expect(await syncRefundsAndDisputes(shop.ctx, id)).toMatchObject({
      problems: [expect.stringMatching(/MYR 2\.00 .*If it is another refund, record it too\.$/)],
    });
    await expect(refund(shop.ctx, id, { amount: 50 })).rejects.toMatchObject({
      code: "refund_unsupported",
      message: expect.stringMatching(/record here what is missing\.$/),
    });
    await refund(shop.ctx, id, { amount: 200, made_at_gateway: true });
    expect(await syncRefundsAndDisputes(shop.ctx, id)).toMatchObject({ problems: [] });
    expect(await refund(shop.ctx, id, { amount: 50 })).toMatchObject({ status: "succeeded" });
    expect([givenBack(shop), await refunded(shop, id)]).toEqual([[200, 50], 550]);
  });

  test("one that was made at CHIP is not taken for it, where two made there come to its amount", async () => {
    const { shop, id, purchase } = await transferred();
    shop.bank.refund(purchase, 100);
    await refund(shop.ctx, id, { amount: 100, made_at_gateway: true });
    shop.bank.refund(purchase, 200);
    await expect(syncRefundsAndDisputes(shop.ctx, id)).rejects.toThrow("the sum of several");
    await expect(refund(shop.ctx, id, {})).rejects.toMatchObject({ code: "refund_unsupported" });
    await refund(shop.ctx, id, { amount: 200, made_at_gateway: true });
    expect(await syncRefundsAndDisputes(shop.ctx, id)).toMatchObject({ problems: [] });
    expect(await refund(shop.ctx, id, {})).toMatchObject({ status: "succeeded", amount: 400 });
    expect([givenBack(shop), await refunded(shop, id)]).toEqual([[100, 200, 400], 1_000]);
  });

  test("one whose answer is lost is not taken as absent, where it comes to its amount with one made at CHIP", async () => {
    const { shop, id, purchase } = await transferred();
    peer.lose(operation);
    const lost = await refund(shop.ctx, id, { amount: 200 });
    shop.bank.refund(purchase, 100);
    await age(lost._id);
    expect(await look(shop, lost._id)).toMatchObject({ status: "unknown" });
  });
});

describe("refunds at CHIP that do not fit the records", () => {
  /** A refund of 300 that staff said to have succeeded, and that CHIP never made. */
  async function wronglyResolved() {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    shop.bank.nextRefund = "pending";
    const { _id: id } = await refund(shop.ctx, payment.id, { amount: 300 });
    shop.bank.failRefund(shop.bank.purchase(payment.gatewayId ?? ""));
    await db.execute(
      sql`update refunds set status = 'unknown', started_at = now() - interval '25 hours' where id = ${id}`,
    );
    await resolve(shop.ctx, id, { outcome: "succeeded" });
    return { shop, payment };
  }
  const problemOf = async ({ ctx }: ChipShop, { id }: PaymentRow) =>
    syncRefundsAndDisputes(ctx, id).then(
      () => null,
      (error: Error) => error.message,
    );

  test("since CHIP gave less back: the difference is to go back there, and another one is recorded", async () => {
    const { shop, payment } = await wronglyResolved();
    const { id, gatewayId } = payment;
    expect(await problemOf(shop, payment)).toContain("CHIP gave back less");
    await expect(refund(shop.ctx, id, { amount: 50 })).rejects.toMatchObject({
      code: "refund_unsupported",
      message: expect.stringMatching(/return it at CHIP, and do not record it again\.$/),
    });
    shop.bank.refund(gatewayId ?? "", 200);
    expect(await problemOf(shop, payment)).toContain("CHIP gave back less");
    expect(await refund(shop.ctx, id, { amount: 200, made_at_gateway: true })).toMatchObject({
      status: "succeeded",
    });
    shop.bank.refund(gatewayId ?? "", 300);
    expect(await problemOf(shop, payment)).toBeNull();
    expect(await refund(shop.ctx, id, { amount: 50 })).toMatchObject({ status: "succeeded" });
    expect((await findPayment(shop.ctx, id))?.refundedAmount).toBe(550);
    expect(givenBack(shop)).toEqual([200, 300, 50]);
  });

  test("since CHIP gave more back by one refund than was recorded: the rest is recorded", async () => {
    const { shop, payment } = await wronglyResolved();
    const { id, gatewayId } = payment;
    shop.bank.refund(gatewayId ?? "", 400);
    expect(await problemOf(shop, payment)).toContain("record here what is missing");
    await refund(shop.ctx, id, { amount: 100, made_at_gateway: true });
    expect(await problemOf(shop, payment)).toBeNull();
    expect(await refund(shop.ctx, id, { amount: 50 })).toMatchObject({ status: "succeeded" });
    expect((await findPayment(shop.ctx, id))?.refundedAmount).toBe(450);
  });

  test("since CHIP shows an amount without a refund: it is looked up there and recorded", async () => {
    const shop = await newChipShop(peer);
    const payment = await paidAtChip(shop, 1_000);
    shop.bank.purchase(payment.gatewayId ?? "").refundable_amount -= 100;
    expect(await problemOf(shop, payment)).toContain("record here what is missing");
    await expect(refund(shop.ctx, payment.id, { amount: 50 })).rejects.toMatchObject({
      code: "refund_unsupported",
      message: expect.stringMatching(/record here what is missing\.$/),
    });
    await refund(shop.ctx, payment.id, { amount: 100, made_at_gateway: true });
    expect(await problemOf(shop, payment)).toBeNull();
    expect((await findPayment(shop.ctx, payment.id))?.refundedAmount).toBe(100);
  });

  test("since CHIP gave all of it back, and refunds no more: nothing says to return it once more", async () => {
    const { shop, payment } = await wronglyResolved();
    shop.bank.refund(payment.gatewayId ?? "", 1_000);
    shop.bank.purchase(payment.gatewayId ?? "").refund_availability = "none";
    expect(await problemOf(shop, payment)).toContain("record here what is missing");
    await expect(refund(shop.ctx, payment.id, {})).rejects.toMatchObject({
      code: "refund_unsupported",
      message: expect.stringMatching(/record here what is missing\.$/),
    });
  });
});
