import { sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import type { BulkReport } from "@/lib/contract/bulk";
import { createKey } from "@/lib/domain/api-keys/create";
import { balance } from "@/lib/domain/ledger/balance";
import { connect } from "@/lib/flows/connecting/steps";
import { create as createPackage } from "@/lib/domain/packages/create";
import { update as updatePackage } from "@/lib/domain/packages/update";
import { create } from "@/lib/domain/payment-links/create";
import type { Ctx } from "@/lib/domain/context";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { charge } from "@/lib/flows/charge/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { reconcileRefundsOf } from "@/lib/flows/refund/reconcile";
import { create as refund } from "@/lib/flows/refund/steps";
import { list as refunds } from "@/lib/domain/payments/refunds/list";
import { findPayment } from "@/lib/domain/payments/rows";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { newId } from "@/lib/kernel/ids";
import { api } from "../contract/setting";
import { runningPeer } from "../stripe-peer/running";
import { feeOf } from "../stripe-peer/objects";
import {
  atStripe,
  comeBack,
  ledgerOf,
  newBusiness,
  newStripeShop,
  paidAtStripe,
  paymentsOf,
  savedAtStripe,
  type StripeShop,
} from "./stripe-setting";

const peer = runningPeer();

afterAll(closePool);

const none = new URLSearchParams();
const key = (mode = "test") => `sk_${mode}_${newId()}`;

describe("paying at Stripe", () => {
  let shop: StripeShop;
  beforeEach(async () => {
    shop = await newStripeShop(peer);
  });

  test("an amount below Stripe's minimum is a 422 on `amount` for links and charges, with Stripe alone", async () => {
    const body = { email: "payer@example.com", currency: "THB", amount: 999, title: "Tea" };
    const refused = {
      status: 422,
      options: { errors: { amount: [expect.stringContaining("at least 1000 in THB")] } },
    };
    const token = await savedAtStripe(shop);
    await expect(
      charge(shop.ctx, token, { title: "Tea", currency: "THB", amount: 999 }),
    ).rejects.toMatchObject(refused);
    const made = async ({ businessId, mode }: Ctx) => {
      const { secret: key } = await createKey({ businessId, mode }, "shop");
      return api("POST", "/payment-links", { key, body });
    };
    expect((await made(shop.ctx)).body.errors).toEqual({
      amount: [expect.stringContaining("at least 1000 in THB")],
    });
    expect((await made(await newBusiness())).status).toBe(200);
  });

  test("an amount that only Stripe knows to be too small: the payer reads so, and staff read why", async () => {
    shop.bank.smallest = 2_000;
    const link = await create(shop.ctx, {
      email: "payer@example.com",
      currency: "MYR",
      amount: 1_250,
      title: "Satay for two",
      send_email: false,
    });
    expect(await begin(shop.ctx, link._id, 1)).toEqual({ kind: "refused", tooSmall: true });
    expect(await paymentsOf(shop)).toMatchObject([
      { status: "failed", message: expect.stringContaining("an amount this small") },
    ]);
  });

  test("a refund that needs the payer: Stripe gets the address, and staff read what is awaited until it succeeds", async () => {
    shop.bank.paysWith = "promptpay";
    const payment = await paidAtStripe(shop, 2_000);
    const made = await refund(shop.ctx, payment.id, { amount: 500 });
    expect(made).toMatchObject({
      status: "pending",
      message: expect.stringContaining("Stripe sent the payer instructions"),
    });
    expect(shop.bank.refunds).toMatchObject([{ instructions_email: "payer@example.com" }]);
    shop.bank.settle();
    await reconcileRefundsOf(shop.ctx, payment.id);
    expect((await refunds(shop.ctx, payment.id, {}, none)).data).toMatchObject([
      { status: "succeeded", message: null },
    ]);
  });

  test("the fee of an account that settles in another currency is booked in that currency, and each currency balances", async () => {
    shop.bank.settlement = { currency: "usd", rate: 0.25 };
    const payment = await paidAtStripe(shop, 2_000);
    const fee = Math.round(feeOf(2_000) * 0.25);
    const { rows } = await db.execute(
      sql`select account, currency, sum(amount)::int as sum from ledger_entries
          where payment_id = ${payment.id} group by 1, 2 order by 2, 1`,
    );
    expect(rows).toEqual([
      { account: "gateway", currency: "MYR", sum: 2_000 },
      { account: "sales", currency: "MYR", sum: -2_000 },
      { account: "fees", currency: "USD", sum: fee },
      { account: "gateway", currency: "USD", sum: -fee },
    ]);
    const { currencies } = await balance(shop.ctx, {});
    expect(currencies.map(({ currency, gross, fees }) => [currency, gross, fees]).sort()).toEqual([
      ["MYR", 2_000, 0],
      ["USD", 0, fee],
    ]);
  });

  test("payment, ledger and Stripe's books agree after a payment and a refund, with Stripe's fee", async () => {
    const payment = await paidAtStripe(shop, 2_000);
    expect(payment).toMatchObject({
      status: "succeeded",
      gateway: "stripe",
      gatewayId: shop.bank.intents[0]?.id,
    });
    const fee = feeOf(2_000);
    expect(await ledgerOf(shop)).toEqual({ gateway: 2_000 - fee, sales: -2_000, fees: fee });
    expect(await refund(shop.ctx, payment.id, { amount: 1_000 })).toMatchObject({
      status: "succeeded",
      amount: 1_000,
    });
    expect(shop.bank.refunds.map(({ amount }) => amount)).toEqual([1_000]);
    expect(await ledgerOf(shop)).toEqual({
      gateway: 1_000 - fee,
      sales: -2_000,
      fees: fee,
      refunds: 1_000,
    });
  });

  test("a fee that Stripe reports later is booked once", async () => {
    shop.bank.feesLater = true;
    const payment = await paidAtStripe(shop, 2_000);
    expect(payment.status).toBe("succeeded");
    expect(await ledgerOf(shop)).toEqual({ gateway: 2_000, sales: -2_000 });
    await reconcile(shop.ctx, payment);
    shop.bank.settle();
    for (let looks = 0; looks < 2; looks++)
      await reconcile(shop.ctx, (await findPayment(shop.ctx, payment.id)) as typeof payment);
    expect(await ledgerOf(shop)).toEqual({
      gateway: 2_000 - feeOf(2_000),
      sales: -2_000,
      fees: feeOf(2_000),
    });
    expect(await findPayment(shop.ctx, payment.id)).toMatchObject({
      nextCheckAt: null,
      net: 2_000 - feeOf(2_000),
    });
  });

  test("an amount that Stripe cannot charge is a 422 that says so; the simulator charges it", async () => {
    const input = {
      email: "payer@example.com",
      currency: "KWD",
      amount: 12_345,
      title: "Dates",
      send_email: false,
    };
    await expect(create(shop.ctx, input)).rejects.toMatchObject({
      status: 422,
      options: { errors: { amount: [expect.stringContaining("multiple of 10 in KWD")] } },
    });
    await expect(
      create(shop.ctx, { ...input, currency: "UGX", amount: 1_000_000 }),
    ).rejects.toMatchObject({
      status: 422,
      options: { errors: { amount: [expect.stringContaining("999999 in UGX")] } },
    });
    expect((await create(await newBusiness(), input)).amount).toBe(12_345);
  });

  test.each([
    ["KWD", 12_340, 5, "multiple of 10 in KWD"],
    ["MGA", 50_000, 150, "multiple of 100 in MGA"],
  ])(
    "an amount in %s that Stripe cannot refund is a 422, and no refund is stored",
    async (currency, amount, part, words) => {
      const { payment, session } = await atStripe(shop, amount, currency);
      shop.bank.press(session, "approve");
      await comeBack(shop, payment.id);
      await expect(refund(shop.ctx, payment.id, { amount: part })).rejects.toMatchObject({
        status: 422,
        options: { errors: { amount: [expect.stringContaining(words)] } },
      });
      expect((await refunds(shop.ctx, payment.id, {}, none)).data).toEqual([]);
      expect(await refund(shop.ctx, payment.id, {})).toMatchObject({ status: "succeeded", amount });
    },
  );

  test("an older package with an amount that Stripe cannot charge takes no subscribers, and can still be cancelled", async () => {
    const ctx = await newBusiness("live");
    const terms = {
      name: "Dates",
      amount: 5_001,
      currency: "KWD",
      frequency: "monthly",
      date_charge_start: "2020-01-01",
    } as const;
    const [odd, even] = [
      await createPackage(ctx, terms),
      await createPackage(ctx, { ...terms, amount: 5_010 }),
    ];
    await connect(ctx, { secret_key: key("live") });
    const errors = {
      package_id: [
        "The package cannot be charged. The amount must be a multiple of 10 in KWD: Stripe takes no third digit.",
      ],
    };
    await expect(
      subscribe(ctx, { package_id: odd._id, email: "payer@example.com" }),
    ).rejects.toMatchObject({ status: 422, options: { errors } });
    expect(
      await subscribe(ctx, { package_id: even._id, email: "payer@example.com" }),
    ).toMatchObject({ status: "created" });
    await expect(updatePackage(ctx, even._id, terms)).rejects.toMatchObject({
      status: 422,
      options: { errors: { amount: [expect.stringContaining("multiple of 10 in KWD")] } },
    });
    expect(await updatePackage(ctx, odd._id, { ...terms, status: "cancel" })).toMatchObject({
      status: "cancel",
      amount: 5_001,
    });
  });

  test("a 422 names an amount that Stripe cannot charge beside the other errors, also in a bulk call", async () => {
    const { secret } = await createKey(
      { businessId: shop.ctx.businessId, mode: "test" },
      "amounts",
    );
    const body = { email: "bad", currency: "KWD", amount: 12_345, title: "Dates" };
    const both = {
      amount: [expect.stringContaining("multiple of 10 in KWD")],
      email: ["The email must be a valid email address."],
    };
    expect((await api("POST", "/payment-links", { key: secret, body })).body.errors).toEqual(both);
    const many = await api("POST", "/payment-links/bulk", { key: secret, body: { rows: [body] } });
    expect((many.body.data as BulkReport).rows[0]?.errors).toEqual(both);
    expect(
      (await api("POST", "/payment-links", { key: secret, body: { ...body, currency: "XXX" } }))
        .body.errors,
    ).not.toHaveProperty("amount");
  });
});
