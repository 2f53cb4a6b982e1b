import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { list as listCallbacks } from "@/lib/domain/callbacks/list";
import { unscopedLedgerState } from "@/lib/domain/payments/ledger-check-rows";
import { get } from "@/lib/domain/payments/get";
import { callbacks } from "@/lib/flows/callback/job";
import { receive } from "@/lib/flows/callback/steps";
import { create as refund } from "@/lib/flows/refund/steps";
import type { RefundState } from "@/lib/gateways/gateway";
import { basicSimulator, signForm } from "@/lib/gateways/simulator/basic";
import { newId } from "@/lib/kernel/ids";
import { runOnce } from "../run-once";
import { newBasicShop } from "./basic-setting";
import { paidPayment, refundsOf, type Shop } from "./setting";

vi.mock(import("@/lib/gateways/registry"), async (original) => {
  const { withBasicGateway } = await import("./basic-registry");
  return withBasicGateway(await original());
});

const amount = 1_000;
let shop: Shop;
let paymentId: string;
/** What the gateway's staff gave back in its dashboard. */
let atGateway: RefundState[];

beforeEach(async () => {
  shop = await newBasicShop();
  paymentId = (await paidPayment(shop, amount)).id;
  atGateway = [];
  vi.spyOn(basicSimulator, "refundsAndDisputes").mockImplementation(async () => ({
    kind: "found",
    refunds: structuredClone(atGateway),
    dispute: null,
    movements: [],
  }));
});
afterEach(() => vi.restoreAllMocks());
afterAll(closePool);

function madeThere(sum: number, status: RefundState["status"] = "succeeded"): RefundState {
  const made: RefundState = {
    refundId: `re_${newId()}`,
    key: null,
    status,
    reason: null,
    amount: sum,
    currency: "MYR",
  };
  atGateway.push(made);
  return made;
}

const recordHere = (sum: number) =>
  refund(shop.ctx, paymentId, { amount: sum, made_at_gateway: true });

/** A callback of the gateway about refunds of the payment. */
async function callBack(eventId: string = newId()): Promise<void> {
  const { id, callbackSecret } = shop.account.connection;
  const fields = new Map([
    ["id", eventId],
    ["type", "refund.succeeded"],
    ["reference", paymentId],
  ]);
  const raw = new TextEncoder().encode(signForm(fields, callbackSecret ?? "", Date.now()));
  await (await receive("basic", id, raw, new Headers(), "refund-test")).work();
}

const setAside = async () => {
  const query = { status: "quarantined" } as const;
  const { id } = shop.account.connection;
  const { data } = await listCallbacks(shop.ctx, id, query, new URLSearchParams());
  return data.map(({ problem }) => problem);
};

/** The refunded amount in the payment, and our refunds with the gateway's ids. The ledger agrees with both. */
async function booked() {
  expect(await unscopedLedgerState(shop.ctx.businessId)).toMatchObject({
    lopsided: 0,
    disagreeing: 0,
  });
  const { refunded_amount } = await get(shop.ctx, paymentId);
  const rows = await refundsOf(shop);
  return {
    refunded_amount,
    refunds: rows.map((row) => [row.status, row.amount, row.gatewayId]),
  };
}

describe("a refund that staff recorded and the gateway lists later", () => {
  test("is booked once, however often the callback comes", async () => {
    const { refundId } = madeThere(400);
    await recordHere(400);
    const eventId = newId();
    for (const id of [eventId, eventId, newId()]) await callBack(id);
    expect(await booked()).toEqual({
      refunded_amount: 400,
      refunds: [["succeeded", 400, refundId]],
    });
    expect(await setAside()).toEqual([]);
  });

  test("two of one amount match two there, one each, by callbacks at the same moment", async () => {
    const ids = [madeThere(400), madeThere(400)].map(({ refundId }) => refundId);
    for (const sum of [400, 400]) await recordHere(sum);
    await Promise.all(Array.from({ length: 6 }, () => callBack()));
    const { refunded_amount, refunds } = await booked();
    expect(refunded_amount).toBe(800);
    expect(refunds.map(([, , id]) => id).sort()).toEqual(ids.sort());
  });

  test("of one amount with one that staff did not record: the second is booked too", async () => {
    madeThere(400);
    await recordHere(400);
    await callBack();
    const second = madeThere(400);
    await callBack();
    expect(await booked()).toMatchObject({
      refunded_amount: 800,
      refunds: [
        ["succeeded", 400, atGateway[0]?.refundId],
        ["succeeded", 400, second.refundId],
      ],
    });
  });

  test("recorded while the gateway is asked is matched", async () => {
    madeThere(400);
    vi.mocked(basicSimulator.refundsAndDisputes).mockImplementationOnce(async () => {
      await recordHere(400);
      return { kind: "found", refunds: atGateway, dispute: null, movements: [] };
    });
    await callBack();
    expect(await booked()).toMatchObject({ refunded_amount: 400, refunds: [{}] });
  });

  test("the whole payment is not more than refunded", async () => {
    madeThere(amount);
    await recordHere(amount);
    await callBack();
    expect(await booked()).toMatchObject({ refunded_amount: amount, refunds: [{}] });
    expect(await setAside()).toEqual([]);
    madeThere(1);
    await callBack();
    expect(await booked()).toMatchObject({ refunded_amount: amount, refunds: [{}] });
    expect(await setAside()).toEqual([expect.stringContaining("does not fit what is left")]);
  });

  test("on its way there, and failed in the end, is undone", async () => {
    const made = madeThere(400, "pending");
    await recordHere(400);
    await callBack();
    expect(await booked()).toMatchObject({ refunded_amount: 400 });
    made.status = "failed";
    await callBack();
    await callBack();
    expect(await booked()).toEqual({
      refunded_amount: 0,
      refunds: [["failed", 400, made.refundId]],
    });
  });
});

describe("a refund that the gateway lists before staff record it", () => {
  test("is booked once, under the name and reason of who recorded it", async () => {
    const { refundId } = madeThere(400);
    await callBack();
    const input = { amount: 400, made_at_gateway: true, reason: "One did not come" };
    const recorded = await refund(shop.ctx, paymentId, input);
    expect(recorded).toMatchObject({ status: "succeeded", amount: 400, reason: input.reason });
    expect(await booked()).toEqual({
      refunded_amount: 400,
      refunds: [["succeeded", 400, refundId]],
    });
    expect(await refundsOf(shop)).toMatchObject([
      { id: recorded._id, actor: shop.ctx.actor, reason: input.reason },
    ]);
  });

  test("two of one amount are recorded one each, and a third is a new one", async () => {
    for (const sum of [300, 300]) madeThere(sum);
    await callBack();
    const [first, second] = [await recordHere(300), await recordHere(300)];
    expect(first._id).not.toBe(second._id);
    expect(await booked()).toMatchObject({ refunded_amount: 600, refunds: [{}, {}] });
    const third = await recordHere(300);
    const { refundId } = madeThere(300);
    await callBack();
    expect(await booked()).toMatchObject({ refunded_amount: 900, refunds: [{}, {}, {}] });
    expect((await refundsOf(shop)).find(({ id }) => id === third._id)?.gatewayId).toBe(refundId);
  });

  test("at the same moment as callbacks is booked once", async () => {
    const ids = [madeThere(400), madeThere(400)].map(({ refundId }) => refundId);
    await Promise.all([recordHere(400), callBack(), recordHere(400), callBack()]);
    await callBack();
    const { refunded_amount, refunds } = await booked();
    expect(refunded_amount).toBe(800);
    expect(refunds.map(([, , id]) => id).sort()).toEqual(ids.sort());
  });

  test("of the whole payment is refused: nothing is left", async () => {
    madeThere(amount);
    await callBack();
    await expect(recordHere(amount)).rejects.toMatchObject({ status: 409, code: "conflict" });
    expect(await booked()).toMatchObject({ refunded_amount: amount, refunds: [{}] });
  });
});

describe("what may be another refund is not guessed", () => {
  test("another amount is set aside, and booked once staff record it too", async () => {
    madeThere(500);
    await recordHere(400);
    await callBack();
    expect(await booked()).toEqual({ refunded_amount: 400, refunds: [["succeeded", 400, null]] });
    expect(await setAside()).toEqual([expect.stringContaining("If it is another refund")]);
    await recordHere(500);
    await runOnce(callbacks, shop.ctx.businessId);
    expect(await booked()).toMatchObject({
      refunded_amount: 900,
      refunds: [
        ["succeeded", 400, null],
        ["succeeded", 500, atGateway[0]?.refundId],
      ],
    });
    expect(await setAside()).toEqual([]);
  });

  test("what is set aside is compared again once a later callback fits, and stays where it still does not", async () => {
    madeThere(500);
    await recordHere(400);
    await callBack();
    await callBack();
    expect(await setAside()).toHaveLength(2);
    const { refundId } = madeThere(400);
    atGateway.shift();
    await callBack();
    await runOnce(callbacks, shop.ctx.businessId);
    expect([await setAside(), await booked()]).toEqual([
      [],
      { refunded_amount: 400, refunds: [["succeeded", 400, refundId]] },
    ]);
    madeThere(700);
    await callBack();
    await recordHere(100);
    expect(await setAside()).toEqual([]);
    await runOnce(callbacks, shop.ctx.businessId);
    expect(await setAside()).toEqual([expect.stringMatching(/\S/)]);
  });

  test("another amount is booked when the recorded refund is listed beside it", async () => {
    madeThere(500);
    madeThere(400);
    await recordHere(400);
    await callBack();
    expect(await booked()).toMatchObject({ refunded_amount: 900 });
    expect(await setAside()).toEqual([]);
  });

  test("a failure of its amount leaves it booked and is set aside", async () => {
    madeThere(400, "failed");
    await recordHere(400);
    await callBack();
    expect(await booked()).toEqual({ refunded_amount: 400, refunds: [["succeeded", 400, null]] });
    expect(await setAside()).toEqual([expect.stringContaining("could not refund MYR 4.00")]);
    const { refundId } = madeThere(400);
    await callBack();
    expect(await booked()).toEqual({
      refunded_amount: 400,
      refunds: [["succeeded", 400, refundId]],
    });
  });
});

describe("a refund that staff record where the gateway refunds through its API", () => {
  beforeEach(async () => {
    await recordHere(400);
    vi.spyOn(basicSimulator, "refundSupport").mockResolvedValue({ kind: "supported" });
  });

  test("is the one that it lists beside an earlier record, and is booked with its id", async () => {
    const { refundId } = madeThere(500);
    await callBack();
    await Promise.all([recordHere(500), callBack(), callBack()]);
    await callBack();
    expect(await booked()).toEqual({
      refunded_amount: 900,
      refunds: [
        ["succeeded", 400, null],
        ["succeeded", 500, refundId],
      ],
    });
  });

  test("is not booked when it has failed there since the list was read", async () => {
    const made = madeThere(500);
    vi.mocked(basicSimulator.refundsAndDisputes).mockImplementationOnce(async () => {
      const refunds = structuredClone(atGateway);
      made.status = "failed";
      await callBack();
      return { kind: "found", refunds, dispute: null, movements: [] };
    });
    await expect(recordHere(500)).rejects.toMatchObject({ code: "conflict" });
    expect(await booked()).toMatchObject({ refunded_amount: 400, refunds: [{}] });
  });

  test("is none that is pending there, nor one that is recorded already", async () => {
    madeThere(500, "pending");
    madeThere(400);
    await expect(recordHere(500)).rejects.toThrow("Record it once it is done");
    await expect(recordHere(400)).rejects.toThrow("shows no refund of this amount");
    expect(await booked()).toMatchObject({ refunded_amount: 400, refunds: [{}] });
  });
});
