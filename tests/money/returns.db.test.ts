import { sql } from "drizzle-orm";
import { parse } from "csv-parse/sync";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { netOf } from "@/lib/contract/payment-sums";
import { list as listCallbacks } from "@/lib/domain/callbacks/list";
import { balance } from "@/lib/domain/ledger/balance";
import { list } from "@/lib/domain/ledger/list";
import { unscopedLedgerState } from "@/lib/domain/payments/ledger-check-rows";
import { overview } from "@/lib/domain/overview/get";
import { exportCsv } from "@/lib/domain/payments/export";
import { get } from "@/lib/domain/payments/get";
import { create as refund } from "@/lib/flows/refund/steps";
import { findRefund } from "@/lib/domain/payments/refunds/rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { newId } from "@/lib/kernel/ids";
import { disputeFee, feeOf } from "../stripe-peer/objects";
import { runningPeer } from "../stripe-peer/running";
import {
  callBack,
  callbacksOf,
  eventsOf,
  ledgerOf,
  newStripeShop,
  paidAtStripe,
  type StripeShop,
} from "./stripe-setting";
import { callbacks } from "@/lib/flows/callback/job";
import { runOnce } from "../run-once";

const peer = runningPeer();
const none = new URLSearchParams();
const amount = 2_000;
const fee = feeOf(amount);
const untouched = { gateway: amount - fee, sales: -amount, fees: fee };
let shop: StripeShop;
let payment: PaymentRow;

afterAll(closePool);

beforeEach(async () => {
  shop = await newStripeShop(peer);
  payment = await paidAtStripe(shop, amount);
});

const dispute = () => shop.bank.dispute(payment.gatewayId ?? "");
const now = () => get(shop.ctx, payment.id);
/** What Balance says is left: of the payment in its row and its file, and of all that was booked in its sums. */
const nets = async () => {
  const { currencies } = await balance(shop.ctx, {});
  const file = await new Response(await exportCsv(shop.ctx, {})).text();
  const [line] = parse(file, { columns: true }) as Record<string, string>[];
  expect(line?.net_booked).toBe(String(netOf(await now())));
  return [
    netOf(await now()),
    currencies.find(({ currency }) => currency === payment.currency)?.net,
  ];
};
/** The events that Stripe sent after the first so many, each once. */
const tellFrom = async (from: number) => {
  for (const { body } of shop.bank.events.slice(from)) await callBack(shop, body);
};
const told = (type: string) =>
  shop.bank.events.findLast((event) => event.type === type)?.body ?? "";
/** The same words in an event of its own. */
const again = (body: string) =>
  JSON.stringify({ ...(JSON.parse(body) as object), id: `evt_${newId()}` });
const setAside = async () =>
  (await listCallbacks(shop.ctx, shop.connectionId, { status: "quarantined" }, none)).data.map(
    ({ problem }) => problem,
  );
/** The ledger agrees with itself and with the payments. */
const inOrder = async () =>
  expect(await unscopedLedgerState(shop.ctx.businessId)).toMatchObject({
    lopsided: 0,
    disagreeing: 0,
  });
const later = async () => {
  await db.execute(
    sql`update gateway_events set next_try_at = now() where connection_id = ${shop.connectionId} and next_try_at is not null`,
  );
  await runOnce(callbacks, shop.ctx.businessId);
};

describe("the money of a dispute", () => {
  test("is booked when it is taken, with the fee, and stays taken when the dispute is lost", async () => {
    const from = shop.bank.events.length;
    shop.bank.closeDispute(dispute(), "lost");
    await tellFrom(from);
    expect(await now()).toMatchObject({
      status: "disputed",
      disputed_amount: amount,
      dispute_status: "lost",
      message: expect.stringContaining("kept the money"),
      fee,
      net: amount - fee,
      dispute_fee: disputeFee,
      dispute_fee_decimal: "15.00",
      dispute_fee_currency: "MYR",
    });
    expect(await nets()).toEqual([-fee - disputeFee, -fee - disputeFee]);
    expect(await ledgerOf(shop)).toEqual({
      gateway: -fee - disputeFee,
      sales: -amount,
      disputes: amount,
      fees: fee + disputeFee,
    });
    expect((await balance(shop.ctx, {})).currencies).toEqual([
      {
        currency: "MYR",
        gross: amount,
        refunds: 0,
        disputes: amount,
        fees: fee + disputeFee,
        net: -fee - disputeFee,
        gateway: -fee - disputeFee,
        manual: 0,
      },
    ]);
    const listed = await list(shop.ctx, { kind: "dispute", per_page: 100 }, none);
    expect(listed.data.map(({ account, amount: sum }) => `${account} ${sum}`).sort()).toEqual([
      `disputes ${amount}`,
      `fees ${disputeFee}`,
      `gateway -${disputeFee}`,
      `gateway -${amount}`,
    ]);
    await inOrder();
    await db.execute(sql`update payments set disputed_amount = 1 where id = ${payment.id}`);
    expect((await unscopedLedgerState(shop.ctx.businessId)).disagreeing).toBe(1);
  });

  test("comes back when it is won, but for the fee", async () => {
    const from = shop.bank.events.length;
    const lost = dispute();
    await tellFrom(from);
    expect(await now()).toMatchObject({
      status: "disputed",
      disputed_amount: amount,
      dispute_status: "open",
    });
    shop.bank.closeDispute(lost, "won");
    await tellFrom(from);
    expect(await now()).toMatchObject({
      status: "succeeded",
      disputed_amount: 0,
      dispute_status: "won",
      message: null,
      dispute_fee: disputeFee,
    });
    expect(await nets()).toEqual([amount - fee - disputeFee, amount - fee - disputeFee]);
    expect(await ledgerOf(shop)).toEqual({
      ...untouched,
      gateway: amount - fee - disputeFee,
      disputes: 0,
      fees: fee + disputeFee,
    });
    await inOrder();
  });

  const orders = [
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [3, 0, 1, 2],
    [1, 3, 0, 2],
    [2, 3, 1, 0],
    [0, 1, 2, 3],
  ];
  test.each(orders)(
    "is the same for events in any order and repeated (%i %i %i %i)",
    async (...order) => {
      const from = shop.bank.events.length;
      shop.bank.closeDispute(dispute(), "won");
      const sent = shop.bank.events.slice(from).map(({ body }) => body);
      expect(sent).toHaveLength(4);
      const inOrderSaid = order.map((index) => sent[index] ?? "");
      for (const body of inOrderSaid) await callBack(shop, body);
      await Promise.all(
        inOrderSaid
          .flatMap((body) => [again(body), again(body)])
          .map((body) => callBack(shop, body)),
      );
      await later();
      expect(await now()).toMatchObject({ status: "succeeded", disputed_amount: 0 });
      expect(await ledgerOf(shop)).toMatchObject({
        gateway: amount - fee - disputeFee,
        disputes: 0,
        fees: fee + disputeFee,
      });
      expect((await callbacksOf(shop)).every(({ state }) => state === "done")).toBe(true);
      await inOrder();
    },
  );

  test("of an account kept in another currency is booked in the payment's, its fee in the account's", async () => {
    const made = dispute();
    Object.assign(made.balance_transactions[0] ?? {}, { amount: -450, fee: 340, currency: "usd" });
    await callBack(shop, told("charge.dispute.funds_withdrawn"));
    expect(await now()).toMatchObject({
      disputed_amount: amount,
      dispute_fee: 340,
      dispute_fee_decimal: "3.40",
      dispute_fee_currency: "USD",
    });
    expect(await nets()).toEqual([-fee, -fee]);
    expect((await balance(shop.ctx, {})).currencies).toMatchObject([
      { currency: "MYR", disputes: amount, fees: fee },
      { currency: "USD", disputes: 0, fees: 340, gateway: -340 },
    ]);
    shop.bank.closeDispute(made, "won");
    Object.assign(made.balance_transactions[1] ?? {}, { amount: 200, currency: "usd" });
    await callBack(shop, told("charge.dispute.funds_reinstated"));
    expect(await setAside()).toEqual([expect.stringContaining("-200 USD")]);
    expect(await now()).toMatchObject({ status: "succeeded", disputed_amount: amount });
    await inOrder();
  });

  test.each([
    ["more than was paid", { amount: -amount - 1 }, {}],
    ["money that was never taken back", { amount: 5 }, {}],
    [
      "a currency that is neither the payment's nor known",
      { currency: "zzz" },
      { currency: "zzz" },
    ],
    ["another currency than was paid, by both its words", { currency: "usd" }, { currency: "usd" }],
  ])("that does not fit is not booked but set aside: %s", async (_name, moved, said) => {
    const made = dispute();
    Object.assign(made, said);
    Object.assign(made.balance_transactions[0] ?? {}, moved);
    await callBack(shop, told("charge.dispute.funds_withdrawn"));
    expect(await setAside()).toEqual([expect.stringContaining(`of payment ${payment.id}`)]);
    expect(await ledgerOf(shop)).toEqual(untouched);
    expect(await now()).toMatchObject({ status: "disputed", disputed_amount: 0 });
    await inOrder();
  });
});

describe("an answer that is older than what is known", () => {
  test("a dispute that the gateway's answer lacks changes nothing", async () => {
    shop.bank.disputesLag = true;
    dispute();
    await callBack(shop, told("charge.dispute.created"));
    await callBack(shop, told("charge.dispute.funds_withdrawn"));
    expect(await now()).toMatchObject({ status: "succeeded", disputed_amount: 0 });
    expect((await callbacksOf(shop)).map(({ state }) => state)).toEqual(["done", "new"]);
    shop.bank.disputesLag = false;
    await later();
    const known = await now();
    expect(known).toMatchObject({ status: "disputed", disputed_amount: amount });
    shop.bank.disputesLag = true;
    await callBack(shop, again(told("charge.dispute.created")));
    expect(await now()).toEqual(known);
    expect((await ledgerOf(shop)).disputes).toBe(amount);
  });

  test("what never can be seen is set aside in the end", async () => {
    shop.bank.disputesLag = true;
    dispute();
    await callBack(shop, told("charge.dispute.funds_withdrawn"));
    await db.execute(
      sql`update gateway_events set created_at = now() - interval '1 hour' where connection_id = ${shop.connectionId}`,
    );
    await later();
    expect(await setAside()).toEqual([expect.stringContaining("the payment provider shows none")]);
    expect(await ledgerOf(shop)).toEqual(untouched);
  });

  test("one that was on its way while newer ones were written is asked for again", async () => {
    const made = dispute();
    let release = () => undefined as unknown;
    peer.held = {
      operation: "GET /v1/disputes",
      until: new Promise<void>((resolve) => (release = resolve)),
    };
    const slow = callBack(shop, told("charge.dispute.created"));
    await expect.poll(() => peer.held).toBeNull();
    shop.bank.closeDispute(made, "won");
    await callBack(shop, told("charge.dispute.closed"));
    release();
    await slow;
    expect(await now()).toMatchObject({ status: "succeeded", disputed_amount: 0 });
    await inOrder();
  });

  test("a success that is reported late does not end a dispute", async () => {
    dispute();
    await callBack(shop, told("charge.dispute.created"));
    await settle(shop.ctx, payment.id, {
      kind: "succeeded",
      gatewayId: payment.gatewayId ?? "",
      amount,
      currency: "MYR",
      fee,
    });
    expect(await now()).toMatchObject({ status: "disputed" });
    expect(await eventsOf(shop, "payment.succeeded")).toBe(1);
  });
});

describe("a refund made at Stripe", () => {
  test("waits while a refund made here holds the same money, and is written once that one has an outcome", async () => {
    peer.trouble = { status: 500, body: '{"error":{"type":"api_error","message":"oops"}}' };
    const ours = await refund(shop.ctx, payment.id, {});
    peer.trouble = null;
    expect(ours.status).toBe("unknown");
    const from = shop.bank.events.length;
    shop.bank.refund(payment.gatewayId ?? "", amount, {});
    const [first] = shop.bank.events.slice(from);
    peer.lose("GET /v1/refunds");
    await callBack(shop, first?.body ?? "");
    expect((await callbacksOf(shop)).at(-1)).toMatchObject({ state: "new", problem: null });
    expect(await now()).toMatchObject({ refunded_amount: 0 });
    await later();
    expect(await now()).toMatchObject({ status: "refunded", refunded_amount: amount });
    expect(await findRefund(shop.ctx, ours._id)).toMatchObject({ status: "failed" });
    expect((await ledgerOf(shop)).refunds).toBe(amount);
    expect((await callbacksOf(shop)).at(-1)?.state).toBe("done");
    await inOrder();
  });

  test("does not count as made here because of its metadata", async () => {
    shop.bank.refund(payment.gatewayId ?? "", 600, { kutip_refund: newId() });
    await callBack(shop, told("charge.refunded"));
    expect(await now()).toMatchObject({ refunded_amount: 600 });
  });

  test("of more than is left is set aside", async () => {
    const made = shop.bank.refund(payment.gatewayId ?? "", amount, {});
    made.amount = amount + 1;
    await callBack(shop, told("charge.refunded"));
    expect(await setAside()).toEqual([expect.stringContaining("MYR 20.01")]);
    expect(await ledgerOf(shop)).toEqual(untouched);
  });
});

describe("a refund that had gone through and fails after all", () => {
  test.each(["made here", "made at Stripe"])(
    "%s: its booking is undone, the payment counts again, and staff see the failure",
    async (origin) => {
      const { bank } = shop;
      if (origin === "made here") await refund(shop.ctx, payment.id, { amount: 600 });
      else bank.refund(payment.gatewayId ?? "", 600, {});
      await callBack(shop, told("charge.refunded"));
      expect(await now()).toMatchObject({ status: "partially_refunded", refunded_amount: 600 });
      const [made] = bank.refunds;
      if (made) bank.failRefund(made);
      await Promise.all(
        [told("refund.failed"), told("charge.refund.updated"), again(told("refund.failed"))].map(
          (body) => callBack(shop, body),
        ),
      );
      for (const { body } of bank.events) await callBack(shop, again(body));
      expect(await now()).toMatchObject({ status: "succeeded", refunded_amount: 0 });
      expect(await ledgerOf(shop)).toEqual({ ...untouched, refunds: 0 });
      expect(await eventsOf(shop, "refund.failed")).toBe(1);
      const { rows } = await db.execute<{ data: object; previous: object }>(
        sql`select data, previous from events where business_id = ${shop.ctx.businessId} and type = 'refund.failed'`,
      );
      expect(rows).toMatchObject([
        {
          data: {
            payment_id: payment.id,
            status: "failed",
            amount: 600,
            message: expect.stringContaining("lost_or_stolen_card"),
          },
          previous: { status: "succeeded" },
        },
      ]);
      expect((await overview(shop.ctx, {})).attention).toEqual(
        expect.arrayContaining([expect.objectContaining({ kind: "refund_failed", count: 1 })]),
      );
      await inOrder();
      expect(await refund(shop.ctx, payment.id, {})).toMatchObject({ status: "succeeded", amount });
      expect(await now()).toMatchObject({ status: "refunded" });
      await inOrder();
    },
  );

  test("one of two leaves the other, and a dispute outweighs", async () => {
    await refund(shop.ctx, payment.id, { amount: 1_500 });
    await refund(shop.ctx, payment.id, { amount: 500 });
    expect(await now()).toMatchObject({ status: "refunded" });
    const [second, first] = shop.bank.refunds;
    if (second) shop.bank.failRefund(second);
    await callBack(shop, told("refund.failed"));
    expect(await now()).toMatchObject({ status: "partially_refunded", refunded_amount: 1_500 });
    dispute();
    await callBack(shop, told("charge.dispute.created"));
    if (first) shop.bank.failRefund(first);
    await callBack(shop, told("refund.failed"));
    expect(await now()).toMatchObject({ status: "disputed", refunded_amount: 0 });
    await inOrder();
  });
});
