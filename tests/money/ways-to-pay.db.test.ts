import { sql } from "drizzle-orm";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import type { PayChoice } from "@/lib/contract/values";
import { create } from "@/lib/domain/payment-links/create";
import { findLink } from "@/lib/domain/payment-links/rows";
import { create as createPackage } from "@/lib/domain/packages/create";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { isLive } from "@/lib/domain/payments/rules";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { find as findToken } from "@/lib/domain/tokenizations/rows";
import { charge } from "@/lib/flows/charge/steps";
import { waysToPay } from "@/lib/flows/checkout/offers";
import { returnFrom } from "@/lib/flows/checkout/return";
import { begin } from "@/lib/flows/checkout/steps";
import { connect, replace } from "@/lib/flows/connecting/steps";
import { get } from "@/lib/flows/connecting/show";
import { create as refund } from "@/lib/flows/refund/steps";
import { outcomes, renewal } from "@/lib/flows/renewal/job";
import { newId } from "@/lib/kernel/ids";
import { runningChip } from "../chip-peer/running";
import type { Bank as StripeBank } from "../stripe-peer/bank";
import { runningPeer } from "../stripe-peer/running";
import { type ChipShop, connectChip, paymentsOf, purchaseIn, savedAtChip } from "./chip-setting";
import { runOnce } from "../run-once";
import {
  eventsOf,
  newBusiness,
  newStripeShop,
  savedAtStripe,
  type StripeShop,
} from "./stripe-setting";
import { terms } from "./subscription-setting";

const chip = runningChip();
const stripe = runningPeer();

afterEach(() => {
  chip.trouble = null;
  stripe.trouble = null;
  chip.bankStates = {};
});
afterAll(closePool);

const card: PayChoice = { method: "card", option: null };
const fpx: PayChoice = { method: "fpx", option: null };

/** A business that has connected CHIP, then Stripe: Stripe comes first. */
type Shop = ChipShop & { stripe: { bank: StripeBank; id: string } };

async function newShop(mode: "test" | "live" = "test"): Promise<Shop> {
  const shop = await connectChip(chip, await newBusiness(mode));
  const secret = `sk_${mode}_${newId()}`;
  const { _id } = await connect(shop.ctx, { secret_key: secret });
  return { ...shop, stripe: { bank: stripe.bank(secret), id: _id } };
}

const newLink = async ({ ctx }: Shop, currency = "MYR") =>
  (
    await create(ctx, {
      email: "payer@example.com",
      currency,
      amount: 1_250,
      title: "Satay for two",
      send_email: false,
    })
  )._id;

const money = { amount: 1_250, currency: "MYR" };
const waysOf = async ({ ctx }: Shop, of = money) =>
  (await waysToPay(ctx, of)).map(({ method, account }) => [method, account.gateway.name]);
const ways = (first: "chip" | "stripe") =>
  [
    ["card", first],
    ...["fpx", "duitnow_qr", "ewallet", "fpx_b2b1"].map((method) => [method, "chip"]),
  ].sort();

async function urlOf(shop: Shop, link: string, choice: PayChoice | null): Promise<string> {
  const begun = await begin(shop.ctx, link, 1, choice);
  if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
  return begun.url;
}

const isAtChip = (url: string) => url.startsWith(chip.origin);

/** A payer presses pay at each page that was ever opened for the link, as if several tabs were left open. */
function pressEverywhere({ bank, stripe }: Shop, stripeFirst = false): void {
  const atChip = () => bank.purchases.map(({ id }) => bank.press(id, "approve"));
  const atStripe = () => stripe.bank.sessions.map(({ id }) => stripe.bank.press(id, "approve"));
  for (const press of stripeFirst ? [atStripe, atChip] : [atChip, atStripe]) press();
}

/** What both gateways took for these attempts. */
function takenBy(shop: Shop, payments: readonly PaymentRow[]): number[] {
  const ids = payments.map(({ id }) => id);
  const atChip = shop.bank.purchases.flatMap(({ reference, payment }) =>
    payment && ids.includes(reference) ? [payment.amount] : [],
  );
  const atStripe = shop.stripe.bank.intents.flatMap(({ amount_received }) =>
    amount_received > 0 ? [amount_received] : [],
  );
  return [...atChip, ...atStripe];
}

async function everyoneComesBack(shop: Shop): Promise<PaymentRow[]> {
  for (const { id } of await paymentsOf(shop))
    await returnFrom(shop.ctx, (await findPayment(shop.ctx, id)) as PaymentRow);
  return paymentsOf(shop);
}

describe("which ways there are", () => {
  test("those of every gateway; the newest gateway has what both offer, until staff put the other first", async () => {
    const shop = await newShop();
    expect((await waysOf(shop)).sort()).toEqual(ways("stripe"));
    const first = await replace(shop.ctx, shop.connectionId, { first: true });
    expect(first).toMatchObject({ in_use: true, position: 1 });
    expect(await get(shop.ctx, shop.stripe.id)).toMatchObject({ in_use: true, position: 2 });
    expect((await waysOf(shop)).sort()).toEqual(ways("chip"));
  });

  test("a gateway that cannot take the currency offers nothing", async () => {
    const shop = await newShop();
    expect(await waysOf(shop, { amount: 1_250, currency: "SGD" })).toEqual([["card", "stripe"]]);
    const link = await newLink(shop, "SGD");
    expect(isAtChip(await urlOf(shop, link, null))).toBe(false);
    expect(await begin(shop.ctx, await newLink(shop, "SGD"), 1, fpx)).toEqual({
      kind: "not_offered",
    });
  });

  test("only what is set up at CHIP, with the banks that CHIP reports as down marked", async () => {
    const shop = await newShop();
    shop.bank.methods = ["fpx", "razer_tng"];
    chip.bankStates = { MB2U0227: "A", PBB0233: "B" };
    const offered = await waysToPay(shop.ctx, money);
    expect(offered.map(({ method }) => method)).toEqual(["card", "fpx", "ewallet"]);
    const banks = offered.find(({ method }) => method === "fpx")?.options ?? [];
    expect(banks.filter(({ isAvailable }) => !isAvailable)).toEqual([
      { code: "PBB0233", name: "Public Bank", isAvailable: false },
    ]);
    expect(banks.length).toBeGreaterThan(15);
    const link = await newLink(shop);
    const down = { method: "fpx", option: "PBB0233" } as const;
    expect(await begin(shop.ctx, link, 1, down)).toEqual({ kind: "not_offered" });
    expect(await begin(shop.ctx, link, 1, { method: "duitnow_qr", option: null })).toEqual({
      kind: "not_offered",
    });
  });

  test.each([
    ["both names", ["dnqr", "duitnow_qr", "shopee_pay", "razer_shopeepay"], "dnqr", "shopee_pay"],
    ["the present names", ["dnqr", "shopee_pay"], "dnqr", "shopee_pay"],
    ["the earlier names", ["duitnow_qr", "razer_shopeepay"], "duitnow_qr", "razer_shopeepay"],
  ])(
    "DuitNow QR and ShopeePay of a brand that lists %s, each once and by that name",
    async (_brand, names, qr, shopee) => {
      const shop = await newShop("live");
      shop.bank.methods = names;
      const offered = await waysToPay(shop.ctx, money);
      expect(offered.map(({ method }) => method)).toEqual(["card", "duitnow_qr", "ewallet"]);
      expect(offered.find(({ method }) => method === "ewallet")?.options).toEqual([
        { code: shopee, name: "ShopeePay", isAvailable: true },
      ]);
      const whitelistOf = async (choice: PayChoice) => {
        const { searchParams } = new URL(await urlOf(shop, await newLink(shop), choice));
        const { payment_method_whitelist: whitelist } = shop.bank.purchases.at(-1) ?? {};
        return [whitelist, Object.fromEntries(searchParams)];
      };
      expect(await whitelistOf({ method: "duitnow_qr", option: null })).toEqual([
        [qr],
        { preferred: qr },
      ]);
      expect(await whitelistOf({ method: "ewallet", option: shopee })).toEqual([
        [shopee],
        { preferred: shopee, razer_bank_code: "ShopeePay" },
      ]);
    },
  );

  test("a gateway that never said what it offers takes part in no choice, and the others go on", async () => {
    const shop = await newShop();
    chip.trouble = { status: 503, body: "" };
    await replace(shop.ctx, shop.connectionId, { first: true }).catch(() => undefined);
    expect(await waysOf(shop)).toEqual([["card", "stripe"]]);
    expect(isAtChip(await urlOf(shop, await newLink(shop), null))).toBe(false);
  });
});

describe.each(["test", "live"] as const)("a choice in %s mode", (mode) => {
  test("leads to its gateway, and to no other way to pay there", async () => {
    const shop = await newShop(mode);
    expect(isAtChip(await urlOf(shop, await newLink(shop), card))).toBe(false);
    expect(shop.stripe.bank.sessions).toHaveLength(1);

    const bank = { method: "fpx", option: "MB2U0227" } as const;
    const link = await newLink(shop);
    const url = new URL(await urlOf(shop, link, bank));
    expect(Object.fromEntries(url.searchParams)).toEqual(
      mode === "live" ? { preferred: "fpx", fpx_bank_code: "MB2U0227" } : {},
    );
    const { bank: company } = shop;
    expect(company.purchases.at(-1)).toMatchObject({ payment_method_whitelist: ["fpx"] });
    // Pressed again, it is the same page.
    expect(await urlOf(shop, link, bank)).toBe(url.href);

    const wallet = { method: "ewallet", option: "razer_tng" } as const;
    const other = new URL(await urlOf(shop, await newLink(shop), wallet));
    expect(company.purchases.at(-1)).toMatchObject({ payment_method_whitelist: ["razer_tng"] });
    expect(Object.fromEntries(other.searchParams)).toEqual(
      mode === "live" ? { preferred: "razer_tng", razer_bank_code: "TNG-EWALLET" } : {},
    );
    expect(chip.problems).toEqual([]);
  });

  test("of another way closes the first page before the second opens", async () => {
    const shop = await newShop(mode);
    const link = await newLink(shop);
    const first = await urlOf(shop, link, fpx);
    expect(isAtChip(await urlOf(shop, link, card))).toBe(false);
    expect(shop.bank.purchase(purchaseIn(first)).status).toBe("cancelled");
    pressEverywhere(shop);
    const payments = await everyoneComesBack(shop);
    expect(payments.map(({ gateway, status }) => [gateway, status])).toEqual([
      ["chip", "cancelled"],
      ["stripe", "succeeded"],
    ]);
    expect(takenBy(shop, payments)).toEqual([1_250]);
    expect((await findLink(shop.ctx, link))?.status).toBe("Paid");
  });

  test("at two gateways at the same moment takes the money once, whichever tabs are paid", async () => {
    for (let round = 0; round < 8; round++) {
      const shop = await newShop(mode);
      const link = await newLink(shop);
      const choices = [card, fpx, card, { method: "duitnow_qr", option: null } as const];
      const begun = await Promise.all(choices.map((one) => begin(shop.ctx, link, 1, one)));
      const live = (await paymentsOf(shop)).filter(({ status }) => isLive(status));
      expect(live.length, begun.map(({ kind }) => kind).join()).toBeLessThanOrEqual(1);
      pressEverywhere(shop, round % 2 === 1);
      const payments = await everyoneComesBack(shop);
      expect(takenBy(shop, payments)).toEqual([1_250]);
      expect(payments.filter(({ status }) => status === "succeeded")).toHaveLength(1);
      expect(payments.every(({ flags }) => flags.length === 0)).toBe(true);
    }
  });
});

describe("while an attempt is at one gateway", () => {
  test("money that is on its way there blocks every other way", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    shop.bank.press(purchaseIn(await urlOf(shop, link, fpx)), "approve_later");
    // The payer has not come back yet. Closing the page is too late, and the look-up says why.
    expect(await begin(shop.ctx, link, 1, card)).toEqual({ kind: "show" });
    expect((await findLink(shop.ctx, link))?.status).toBe("Processing");
    expect(await begin(shop.ctx, link, 1, card)).toEqual({ kind: "show" });
    expect(shop.stripe.bank.sessions).toEqual([]);
    shop.bank.settle();
    await everyoneComesBack(shop);
    expect((await findLink(shop.ctx, link))?.status).toBe("Paid");
  });

  test("money that has just arrived there pays the link, and no second page opens", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    shop.bank.press(purchaseIn(await urlOf(shop, link, fpx)), "approve");
    expect(await begin(shop.ctx, link, 1, card)).toEqual({ kind: "show" });
    expect((await findLink(shop.ctx, link))?.status).toBe("Paid");
    expect(shop.stripe.bank.sessions).toEqual([]);
  });

  test("a page that cannot be closed keeps the others closed", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    const url = await urlOf(shop, link, fpx);
    chip.trouble = { status: 500, body: "" };
    expect(await begin(shop.ctx, link, 1, card)).toEqual({ kind: "still_open", url });
    expect(shop.stripe.bank.sessions).toEqual([]);
    expect(await urlOf(shop, link, fpx)).toBe(url);
  });

  test("a gateway that gave no page leaves the other ways usable at once", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    await waysOf(shop);
    for (let failures = 0; failures < 6; failures++) {
      chip.trouble = { status: 500, body: "" };
      expect(await begin(shop.ctx, link, 1, fpx)).toEqual({ kind: "no_answer" });
    }
    expect((await waysOf(shop)).sort()).toEqual(ways("stripe"));
    await urlOf(shop, link, card);
    pressEverywhere(shop);
    const payments = await everyoneComesBack(shop);
    expect(payments.map(({ gateway, status }) => [gateway, status])).toEqual([
      ["chip", "cancelled"],
      ["stripe", "succeeded"],
    ]);
  });

  test("a page that arrives after another way was chosen is closed, and its address reaches no payer", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    await waysOf(shop);
    const { promise: until, resolve } = Promise.withResolvers<void>();
    chip.held = { operation: "POST /purchases/", until };
    const slow = begin(shop.ctx, link, 1, fpx);
    await expect.poll(() => chip.held).toBeNull();
    await urlOf(shop, link, card);
    resolve();
    expect(await slow).toEqual({ kind: "show" });
    expect(shop.bank.purchases.at(-1)?.status).toBe("cancelled");
    pressEverywhere(shop);
    expect(takenBy(shop, await everyoneComesBack(shop))).toEqual([1_250]);
  });
});

describe("after a payment", () => {
  test("a refund goes to the gateway that took it, whichever comes first now", async () => {
    const shop = await newShop();
    const link = await newLink(shop);
    shop.bank.press(purchaseIn(await urlOf(shop, link, fpx)), "approve");
    const [payment] = await everyoneComesBack(shop);
    await refund(shop.ctx, payment?.id ?? "", { amount: 500 });
    expect(shop.bank.refunds.map(({ payment: { amount } }) => amount)).toEqual([500]);
    expect(shop.stripe.bank.refunds).toEqual([]);
  });

  test("a saved card stays with the gateway that saved it", async () => {
    const ctx = await newBusiness();
    const shop = await connectChip(chip, ctx);
    const { id } = await savedAtChip(shop);
    await connect(ctx, { secret_key: `sk_test_${newId()}` });
    const paid = await charge(ctx, id, { amount: 900, currency: "MYR", title: "Renewal" });
    expect(paid).toMatchObject({ status: "succeeded", gateway: "chip" });
    // Stripe would take it, and the card is not there.
    await expect(
      charge(ctx, id, { amount: 900, currency: "SGD", title: "Renewal" }),
    ).rejects.toMatchObject({ status: 422 });
  });
});

describe("a subscription that the gateway of a saved card cannot charge", () => {
  const subscribed = async ({ ctx }: { ctx: Shop["ctx"] }) => {
    const { _id: package_id } = await createPackage(ctx, { ...terms, currency: "SGD" });
    return (await subscribe(ctx, { package_id, email: "payer@example.com" }))._id;
  };
  const renewed = async ({ ctx }: { ctx: Shop["ctx"] }, id: string) => {
    await runOnce(renewal, ctx.businessId);
    return getSubscription(ctx, id);
  };
  const connectStripe = ({ ctx }: { ctx: Shop["ctx"] }) =>
    connect(ctx, { secret_key: `sk_test_${newId()}` });

  test("asks its payer by a link, and nothing has failed", async () => {
    const shop = await connectChip(chip, await newBusiness());
    const { id: card } = await savedAtChip(shop);
    await connectStripe(shop);
    const id = await subscribed(shop);
    expect((await getSubscription(shop.ctx, id)).tokenization_id).toBeNull();
    // As versions before attached it.
    await db.execute(
      sql`update subscriptions set tokenization_id = ${card} where business_id = ${shop.ctx.businessId}`,
    );
    expect(await renewed(shop, id)).toMatchObject({
      status: "created",
      payment_links: [{ status: "Active", currency: "SGD" }],
    });
    expect(await paymentsOf(shop)).toEqual([]);
    expect(await eventsOf(shop as unknown as StripeShop, "subscription.payment_due")).toBe(1);
  });

  test("keeps its card of another gateway when its payer saves one there, and so does a new one", async () => {
    const shop = await newStripeShop(stripe);
    const card = (await findToken(shop.ctx, await savedAtStripe(shop)))?.id;
    const before = await subscribed(shop);
    await savedAtChip(await connectChip(chip, shop.ctx));
    await runOnce(outcomes, shop.ctx.businessId);
    const ids = [before, await subscribed(shop)];
    for (const id of ids)
      expect(await renewed(shop, id)).toMatchObject({ status: "active", tokenization_id: card });
    expect(shop.bank.intents.map(({ currency, status }) => [currency, status])).toEqual([
      ["sgd", "succeeded"],
      ["sgd", "succeeded"],
    ]);
  });
});
