import { afterAll, describe, expect, test } from "vitest";
import { GET } from "@/app/(payer)/pay/route";
import { closePool } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { findLink } from "@/lib/domain/payment-links/rows";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { find as findToken, type TokenizationRow } from "@/lib/domain/tokenizations/rows";
import { lookUp as lookUpSaving } from "@/lib/flows/activation/reconcile";
import { begin as beginSaving } from "@/lib/flows/activation/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { returnFrom } from "@/lib/flows/checkout/return";
import { runningBillplz } from "../billplz-peer/running";
import { runningChip } from "../chip-peer/running";
import { atBillplz, newBillplzShop } from "./billplz-setting";
import { atChip, newChipShop, paymentsOf, purchaseIn } from "./chip-setting";

const billplz = runningBillplz();
const chip = runningChip();
afterAll(closePool);

/** A payer at a gateway. Its page stays open after a decline. */
type AtGateway = {
  ctx: Ctx;
  linkId: string;
  payment: PaymentRow;
  /** The payer's bank is at work. Returns what it declines with. */
  startAtBank: () => () => void;
  press: (outcome: "approve" | "decline") => void;
};

const gateways: Record<string, () => Promise<AtGateway>> = {
  async Billplz() {
    const shop = await newBillplzShop(billplz);
    const { account } = shop;
    const { linkId, payment, bill } = await atBillplz(shop);
    return {
      ctx: shop.ctx,
      linkId,
      payment,
      startAtBank: () => {
        const atBank = account.startAtBank(bill);
        return () => account.finish(account.bill(bill), atBank, false);
      },
      press: (outcome) => account.press(bill, outcome),
    };
  },
  async CHIP() {
    const shop = await newChipShop(chip);
    const { linkId, payment, purchase } = await atChip(shop);
    return {
      ctx: shop.ctx,
      linkId,
      payment,
      startAtBank: () => {
        const atBank = shop.bank.press(purchase, "approve_later");
        return () => shop.bank.declinePending(atBank);
      },
      press: (outcome) => shop.bank.press(purchase, outcome),
    };
  },
};

const reasons: Record<string, string> = {
  Billplz: "The bank or wallet did not complete it.",
  CHIP: "Insufficient funds",
};

const now = async ({ ctx, payment }: AtGateway) =>
  (await findPayment(ctx, payment.id)) as PaymentRow;
const linkOf = async ({ ctx, linkId }: AtGateway) => (await findLink(ctx, linkId))?.status;
const comeBack = async (at: AtGateway) => returnFrom(at.ctx, await now(at));

describe.each(Object.keys(gateways))("a payer whose bank declines at %s", (name) => {
  const arrive = () => (gateways[name] as () => Promise<AtGateway>)();

  test("after the payment was pending can pay again at once, on the same page", async () => {
    const at = await arrive();
    const decline = at.startAtBank();
    await comeBack(at);
    expect([(await now(at)).status, await linkOf(at)]).toEqual(["pending", "Processing"]);
    decline();
    await comeBack(at);
    expect([(await now(at)).status, await linkOf(at)]).toEqual(["requires_action", "Active"]);
    const begun = await begin(at.ctx, at.linkId, 1);
    expect(begun).toEqual({ kind: "redirect", url: (await now(at)).checkoutUrl });
    at.press("approve");
    await comeBack(at);
    expect([(await now(at)).status, await linkOf(at)]).toEqual(["succeeded", "Paid"]);
    expect(await paymentsOf(at)).toHaveLength(1);
  });

  test("comes back to a page that says why, and can pay there; the next success leaves nothing of it", async () => {
    const at = await arrive();
    at.press("decline");
    const address = await comeBack(at);
    const { message } = await now(at);
    expect(message).toBe(reasons[name]);
    const html = await (await GET(new Request(address), {})).text();
    expect(html).toContain("The payment did not go through.");
    expect(html).toContain(`${message}${message?.endsWith(".") ? "" : "."} Nothing was taken`);
    expect(html).toContain(">Pay MYR 12.50</button>");
    at.press("approve");
    await comeBack(at);
    expect(await now(at)).toMatchObject({ status: "succeeded", message: null });
  });
});

test("a card that CHIP declines to save: the activation page says why, and the payer can try again", async () => {
  const shop = await newChipShop(chip);
  const made = await createToken(shop.ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed every month",
  });
  const begun = await beginSaving(made.token, "chip-test");
  const purchase = purchaseIn(begun.kind === "redirect" ? begun.url : "");
  shop.bank.press(purchase, "decline");
  const row = () => findToken(shop.ctx, made._id);
  const lookUp = async () => lookUpSaving(shop.ctx, (await row()) as TokenizationRow);
  expect((await lookUp()).notice).toEqual({ kind: "declined", reason: "Insufficient funds" });
  expect(await beginSaving(made.token, "chip-test")).toEqual(begun);
  shop.bank.press(purchase, "approve");
  expect(await lookUp()).toMatchObject({ status: "active", notice: null });
});
