import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import { list as listCallbacks } from "@/lib/domain/callbacks/list";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { findLink } from "@/lib/domain/payment-links/rows";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { get } from "@/lib/domain/payments/get";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { waysToPay } from "@/lib/flows/checkout/offers";
import { begin } from "@/lib/flows/checkout/steps";
import { callbacks } from "@/lib/flows/callback/job";
import { abandon, reconcile } from "@/lib/flows/charge/reconcile";
import { connect, replace } from "@/lib/flows/connecting/steps";
import { create as refund } from "@/lib/flows/refund/steps";
import { billplzGateway } from "@/lib/gateways/billplz/adapter";
import { newId } from "@/lib/kernel/ids";
import { runningBillplz } from "../billplz-peer/running";
import { callbackFields, redirectOf, signedForm } from "../billplz-peer/signing";
import { runningChip } from "../chip-peer/running";
import { runOnce } from "../run-once";
import { runningPeer } from "../stripe-peer/running";
import {
  atBillplz,
  type BillplzShop,
  callBack,
  comeBack,
  connectBillplz,
  newBillLink,
  newBillplzShop,
  paidAtBillplz,
} from "./billplz-setting";
import { connectChip, paymentsOf } from "./chip-setting";
import { ledgerOf, newBusiness } from "./stripe-setting";

const peer = runningBillplz();
const chip = runningChip();
runningPeer();

afterEach(() => {
  vi.restoreAllMocks();
  peer.trouble = null;
});
afterAll(closePool);

const now = async ({ ctx }: BillplzShop, id: string) => (await findPayment(ctx, id)) as PaymentRow;
const lastSent = ({ account }: BillplzShop): string => account.sent.at(-1)?.body ?? "";
const becomes = (shop: BillplzShop, id: string, status: string) =>
  expect
    .poll(async () => (await now(shop, id)).status, { interval: 20, timeout: 15_000 })
    .toBe(status);
const tokenInput = { email: "payer@example.com", title: "Membership", description: "Monthly" };

describe.each(["test", "live"] as const)("in %s mode", (mode) => {
  test("key, collection and X Signature key connect an account", async () => {
    const shop = await newBillplzShop(peer, mode);
    const { gateway, connection } = await resolveGateway(shop.ctx);
    expect(gateway.name).toBe("billplz");
    expect(connection).toMatchObject({
      secret: shop.secret,
      account: shop.account.collectionId,
      callbackSecret: shop.account.xSignatureKey,
    });
    expect(shop.account.bills).toEqual([]);
  });

  test("a key of the other mode is refused: the sandbox has accounts of its own", async () => {
    const ctx = await newBusiness(mode);
    const { shop, secret } = peer.open(mode === "test" ? "live" : "test");
    const input = { gateway: "billplz", secret_key: secret, collection_id: shop.collectionId };
    await expect(connect(ctx, input as never)).rejects.toMatchObject({
      status: 422,
      options: { errors: { secret_key: [expect.stringContaining(`${mode} mode`)] } },
    });
  });

  test("a signed callback settles the payment and the ledger", async () => {
    const shop = await newBillplzShop(peer, mode);
    const { payment, bill } = await atBillplz(shop, 2_000);
    shop.account.press(bill, "approve");
    expect(await callBack(shop, lastSent(shop))).toBe(200);
    await becomes(shop, payment.id, "succeeded");
    expect(await get(shop.ctx, payment.id)).toMatchObject({ payment_method_type: "fpx" });
    expect(await ledgerOf(shop as never)).toEqual({ gateway: 2_000, sales: -2_000 });
  });

  test("a bill carries what both sides look for, and nothing of it is sent to the payer", async () => {
    const shop = await newBillplzShop(peer, mode);
    const { payment, bill } = await atBillplz(shop);
    expect(shop.account.bill(bill)).toMatchObject({
      amount: 1_250,
      email: "payer@example.com",
      name: "PAYER",
      description: "Satay for two",
      reference_1: "INV-77",
      reference_2: payment.id,
      callback_url: expect.stringMatching(
        new RegExp(`/api/gateways/billplz/callback/${shop.connectionId}$`),
      ),
      redirect_url: expect.stringContaining(`/pay/return?payment_id=${payment.id}`),
    });
  });
});

test.each([
  ["another collection", "collection_id", { collection_id: "nobodys" }],
  ["no collection", "collection_id", { collection_id: undefined }],
  ["a key that Billplz does not know", "secret_key", { secret_key: "unknown-key-of-nobody" }],
  ["a key of Stripe", "secret_key", { secret_key: `sk_test_${newId()}` }],
] as const)("%s is a 422 on %s", async (_name, field, change) => {
  const ctx = await newBusiness();
  const { shop, secret } = peer.open();
  const input = { gateway: "billplz", secret_key: secret, collection_id: shop.collectionId };
  await expect(connect(ctx, { ...input, ...change } as never)).rejects.toMatchObject({
    status: 422,
    options: { errors: { [field]: [expect.stringMatching(/\S/)] } },
  });
});

test("a key is replaced by another of the same collection, and not by one of another", async () => {
  const shop = await newBillplzShop(peer);
  const next = newId();
  peer.share(shop.secret, next);
  await replace(shop.ctx, shop.connectionId, { secret_key: next });
  expect((await resolveGateway(shop.ctx)).connection.secret).toBe(next);
  const other = peer.open();
  await expect(
    replace(shop.ctx, shop.connectionId, { secret_key: other.secret }),
  ).rejects.toMatchObject({ status: 422 });
});

describe("what Billplz says is compared", () => {
  test.each([
    ["amount", { paid_amount: 1 }],
    ["amount, larger", { paid_amount: 125_000 }],
  ])("another %s than was asked for never counts as paid", async (_what, change) => {
    const shop = await newBillplzShop(peer);
    const { payment, bill } = await atBillplz(shop);
    shop.account.press(bill, "approve");
    peer.bend = {
      operation: "GET /v3/bills/{id}",
      change: (answer) => Object.assign(answer, change),
    };
    expect(await comeBack(shop, payment.id)).toMatchObject({
      status: "unknown",
      flags: ["amount_mismatch"],
      succeededAt: null,
    });
  });

  test.each([
    ["collection", { collection_id: "another" }],
    ["id", { id: "another" }],
    ["reference", { reference_2: "another" }],
    ["sum: none at all", { paid_amount: 0 }],
  ])("another %s is not taken for the payment", async (_what, change) => {
    const shop = await newBillplzShop(peer);
    const { payment, bill } = await atBillplz(shop);
    shop.account.press(bill, "approve");
    peer.bend = {
      operation: "GET /v3/bills/{id}",
      change: (answer) => Object.assign(answer, change),
    };
    expect(await comeBack(shop, payment.id)).toMatchObject({ succeededAt: null });
    expect(await comeBack(shop, payment.id)).toMatchObject({ status: "succeeded" });
  });

  test("a bill for another amount is deleted, and no payer is sent there", async () => {
    const shop = await newBillplzShop(peer);
    peer.bend = {
      operation: "POST /v3/bills",
      change: (answer) => Object.assign(answer, { amount: 1 }),
    };
    await expect(atBillplz(shop)).rejects.toThrow("refused");
    expect(shop.account.bills.at(-1)?.state).toBe("deleted");
  });

  test("a callback of another collection or amount is set aside, and a forged or unsigned one refused", async () => {
    const shop = await newBillplzShop(peer);
    const { payment, bill } = await atBillplz(shop);
    shop.account.press(bill, "approve_later");
    await comeBack(shop, payment.id);
    const fields = { ...callbackFields(shop.account.bill(bill)), paid: "true", state: "paid" };
    const { xSignatureKey } = shop.account;
    const wrong: Array<Record<string, string>> = [
      { paid_amount: "9999999" },
      { paid_amount: "1250", collection_id: "another" },
    ];
    for (const change of wrong)
      expect(await callBack(shop, signedForm({ ...fields, ...change }, xSignatureKey))).toBe(200);
    await expect
      .poll(async () => {
        const query = { status: "quarantined" } as const;
        const search = new URLSearchParams();
        return (await listCallbacks(shop.ctx, shop.connectionId, query, search)).data.length;
      })
      .toBe(2);
    const unsigned = new URLSearchParams(fields).toString();
    expect(await callBack(shop, unsigned)).toBe(400);
    expect(await callBack(shop, signedForm(fields, `${xSignatureKey}x`))).toBe(400);
    expect(await now(shop, payment.id)).toMatchObject({ status: "pending", succeededAt: null });
  });

  test("what the browser brings back proves nothing", async () => {
    const shop = await newBillplzShop(peer);
    const { payment, bill } = await atBillplz(shop);
    const paid = { ...shop.account.bill(bill), paid: true, paid_at: "2026-01-01 00:00:00 +0800" };
    expect(redirectOf(paid, shop.account.xSignatureKey)).toContain("billplz%5Bpaid%5D=true");
    expect(await comeBack(shop, payment.id)).toMatchObject({ status: "requires_action" });
  });
});

describe("a bill that is closed", () => {
  const another = { method: "card", option: null } as const;

  test("is deleted once it is abandoned, and takes no money on its page", async () => {
    const shop = await newBillplzShop(peer);
    const { payment, bill } = await atBillplz(shop);
    const after = await abandon(shop.ctx, payment, await resolveGateway(shop.ctx));
    expect(after.status).toBe("cancelled");
    expect(shop.account.press(bill, "approve").paid).toBe(false);
  });

  test("is not closed while a bank may be moving its money: no other gateway is opened", async () => {
    const shop = await newBillplzShop(peer);
    const stripe = await connect(shop.ctx, { secret_key: `sk_test_${newId()}` });
    await replace(shop.ctx, shop.connectionId, { first: true });
    const { linkId, bill } = await atBillplz(shop);
    const atBank = shop.account.startAtBank(bill);
    expect(await begin(shop.ctx, linkId, 1, another)).toEqual({ kind: "show" });
    expect((await findLink(shop.ctx, linkId))?.status).toBe("Processing");
    shop.account.finish(shop.account.bill(bill), atBank, true);
    const [payment, ...more] = await paymentsOf(shop);
    expect(more).toEqual([]);
    expect(await comeBack(shop, payment?.id ?? "")).toMatchObject({ status: "succeeded" });
    expect(stripe.in_use).toBe(true);
  });

  test("that a bank pays at the moment of its deletion counts as too late", async () => {
    const shop = await newBillplzShop(peer);
    await connect(shop.ctx, { secret_key: `sk_test_${newId()}` });
    await replace(shop.ctx, shop.connectionId, { first: true });
    const { linkId, bill } = await atBillplz(shop);
    const { promise: until, resolve } = Promise.withResolvers<void>();
    peer.held = { operation: "DELETE /v3/bills/{id}", until };
    const switching = begin(shop.ctx, linkId, 1, another);
    await expect.poll(() => peer.held).toBeNull();
    const atBank = shop.account.startAtBank(bill);
    resolve();
    expect(await switching).toEqual({ kind: "show" });
    shop.account.finish(shop.account.bill(bill), atBank, true);
    const [payment, ...more] = await paymentsOf(shop);
    expect(more).toEqual([]);
    expect(await comeBack(shop, payment?.id ?? "")).toMatchObject({ status: "succeeded" });
  });

  test("and that a bank pays after all is booked and flagged, since the link was paid elsewhere", async () => {
    const shop = await newBillplzShop(peer);
    const { linkId, payment, bill } = await atBillplz(shop);
    await abandon(shop.ctx, payment, await resolveGateway(shop.ctx));
    const { bank } = await connectChip(chip, shop.ctx);
    const begun = await begin(shop.ctx, linkId, 1);
    if (begun.kind !== "redirect") throw new Error("no page was opened");
    bank.press(new URL(begun.url).pathname.split("/")[2] ?? "", "approve");
    const second = (await paymentsOf(shop)).find(({ gateway }) => gateway === "chip");
    await comeBack(shop, second?.id ?? "");
    shop.account.finish(shop.account.bill(bill), shop.account.startAtBank(bill), true);
    expect(await callBack(shop, lastSent(shop))).toBe(200);
    await becomes(shop, payment.id, "succeeded");
    expect(await now(shop, payment.id)).toMatchObject({ flags: ["duplicate"] });
  });
});

test("the callback of a bank that pays after all is kept while Billplz shows no such bill, and staff see it in the end", async () => {
  const shop = await newBillplzShop(peer);
  const { payment, bill } = await atBillplz(shop);
  await abandon(shop.ctx, payment, await resolveGateway(shop.ctx));
  shop.account.finish(shop.account.bill(bill), shop.account.startAtBank(bill), true);
  const error = { type: "RecordNotFound", message: ["Not found"] };
  peer.trouble = { status: 404, body: JSON.stringify({ error }) };
  expect(await callBack(shop, lastSent(shop))).toBe(200);
  const kept = async () =>
    (await listCallbacks(shop.ctx, shop.connectionId, {}, new URLSearchParams())).data[0];
  const tried = sql`select state from gateway_events where connection_id = ${shop.connectionId} and tries > 0`;
  await expect
    .poll(async () => (await db.execute(tried)).rows, { interval: 20, timeout: 15_000 })
    .toEqual([{ state: "new" }]);
  await db.execute(
    sql`update gateway_events set created_at = now() - interval '16 minutes', next_try_at = now() where connection_id = ${shop.connectionId}`,
  );
  await runOnce(callbacks, shop.ctx.businessId);
  expect(await kept()).toMatchObject({
    status: "quarantined",
    problem: "The callback reports MYR 12.50; the payment provider shows no such payment.",
  });
});

describe("a page without an answer", () => {
  test.each(["before", "after"] as const)(
    "that a process died for, %s the call, is opened again and takes the money once",
    async (when) => {
      const shop = await newBillplzShop(peer);
      const linkId = await newBillLink(shop.ctx);
      await waysToPay(shop.ctx, { amount: 1_250, currency: "MYR" });
      const work = billplzGateway.beginPayment;
      const stopped = Promise.withResolvers<void>();
      const resumed = Promise.withResolvers<void>();
      vi.spyOn(billplzGateway, "beginPayment").mockImplementationOnce(async (...call) => {
        const early = when === "before" ? null : await work(...call);
        stopped.resolve();
        await resumed.promise;
        return early ?? work(...call);
      });
      const stalled = begin(shop.ctx, linkId, 1);
      await stopped.promise;
      const begun = await begin(shop.ctx, linkId, 1);
      resumed.resolve();
      // The page that was committed first stays.
      expect(await stalled).toEqual(begun);
      const [payment, ...more] = await paymentsOf(shop);
      expect(more).toEqual([]);
      shop.account.press(payment?.gatewayId ?? "", "approve");
      expect(await comeBack(shop, payment?.id ?? "")).toMatchObject({ status: "succeeded" });
      const paid = shop.account.bills.filter((bill) => bill.paid);
      expect(paid.map(({ paid_amount }) => paid_amount)).toEqual([1_250]);
    },
  );

  test("whose answer was lost is opened again for the same attempt", async () => {
    const shop = await newBillplzShop(peer);
    const linkId = await newBillLink(shop.ctx);
    peer.lose("POST /v3/bills");
    expect(await begin(shop.ctx, linkId, 1)).toEqual({ kind: "no_answer" });
    expect((await begin(shop.ctx, linkId, 1)).kind).toBe("redirect");
    expect(await paymentsOf(shop)).toHaveLength(1);
  });
});

describe("what Billplz cannot do", () => {
  test("other currencies are refused in a sentence", async () => {
    const shop = await newBillplzShop(peer);
    const { gateway } = await resolveGateway(shop.ctx);
    expect(gateway.validateAmount({ amount: 1_000, currency: "SGD" })).toMatch(/^The amount must/);
    expect(
      await begin(shop.ctx, await newBillLink(shop.ctx, 1_250, "SGD").catch(() => ""), 1),
    ).toEqual({ kind: "show" });
  });

  test("a token is not created while no gateway saves methods, and is once one does", async () => {
    const shop = await newBillplzShop(peer);
    await expect(createToken(shop.ctx, tokenInput)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining("Billplz cannot save payment methods"),
    });
    await connectChip(chip, shop.ctx);
    await replace(shop.ctx, shop.connectionId, { first: true });
    expect(await createToken(shop.ctx, tokenInput)).toMatchObject({ status: "pending" });
  });

  test("a refund says how to return the money, and is recorded once staff have done so", async () => {
    const shop = await newBillplzShop(peer);
    const payment = await paidAtBillplz(shop);
    await expect(refund(shop.ctx, payment.id, { amount: 500 })).rejects.toMatchObject({
      status: 409,
      code: "refund_unsupported",
      message:
        "Billplz has no refunds through its API. Return the money to the payer by bank transfer or in Billplz, then record the refund here.",
    });
    await refund(shop.ctx, payment.id, { amount: 500, made_at_gateway: true });
    expect(await now(shop, payment.id)).toMatchObject({
      status: "partially_refunded",
      refundedAmount: 500,
    });
    await reconcile(shop.ctx, await now(shop, payment.id));
    expect(await now(shop, payment.id)).toMatchObject({ refundedAmount: 500 });
  });
});

test("its ways to pay are those of the collection, with the banks that it lists", async () => {
  const shop = await newBillplzShop(peer);
  const ways = await waysToPay(shop.ctx, { amount: 1_250, currency: "MYR" });
  expect(ways.map(({ method }) => method)).toEqual(["fpx", "ewallet", "fpx_b2b1"]);
  expect(ways[0]?.options).toEqual([
    { code: "MB2U0227", name: "Maybank2u", isAvailable: true },
    { code: "PBB0233", name: "Public Bank", isAvailable: false },
  ]);
  const choice = { method: "fpx", option: "MB2U0227" } as const;
  const begun = await begin(shop.ctx, await newBillLink(shop.ctx), 1, choice);
  expect(begun).toMatchObject({ url: expect.stringMatching(/\?auto_submit=true$/) });
  expect(shop.account.bills.at(-1)).toMatchObject({
    reference_1_label: "Bank Code",
    reference_1: "MB2U0227",
  });
});

test("two accounts of one gateway cannot take payments of one mode", async () => {
  const shop = await newBillplzShop(peer);
  await expect(connectBillplz(peer, shop.ctx)).rejects.toMatchObject({ status: 409 });
});
