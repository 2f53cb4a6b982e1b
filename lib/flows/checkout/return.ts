import { createHmac } from "node:crypto";
import { db } from "@/db/client";
import { findBusiness } from "@/lib/domain/businesses/rows";
import type { Ctx } from "@/lib/domain/context";
import { take } from "@/lib/domain/limits/limits";
import { findLinkEver } from "@/lib/domain/payment-links/payer-rows";
import { paymentUrl } from "@/lib/domain/payment-links/present";
import type { LinkRow } from "@/lib/domain/payment-links/rows";
import { hasOtherPayerNow } from "@/lib/domain/payments/payer-rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { awaitsFee, isLive } from "@/lib/domain/payments/rules";
import { env } from "@/lib/env";
import { withParameters } from "@/lib/kernel/address";
import { decimalAmount } from "@/lib/kernel/money";
import { unseal } from "@/lib/kernel/secrets";
import { reconcile } from "../charge/reconcile";

/** A payer comes back from the gateway. That proves nothing: the gateway is asked. Returns the address to go to next. */
export async function returnFrom(ctx: Ctx, payment: PaymentRow): Promise<string> {
  const after = await lookUpForPayer(ctx, payment);
  const link =
    after.paymentLinkId === null ? undefined : await findLinkEver(ctx, after.paymentLinkId);
  const here = link ? paymentUrl(link.id, link.mode) : env.BASE_URL;
  const isDeclined = after.status === "requires_action" && after.message !== null;
  if (isDeclined || after.status === "failed" || after.status === "cancelled")
    return `${here}&attempt=${after.id}`;
  const paid = after.status === "succeeded";
  const isKnown =
    after.succeededAt !== null || after.status === "pending" || after.status === "unknown";
  if (!isKnown) return here;
  // A shop takes a success for the payment of its order, so money that did not pay the link is not sent there, nor money that went back. The address may be
  // that of another payer's order by now.
  const isOfOrder = paid ? !!link && isOfPaid(link, after) : after.succeededAt === null;
  if (!link?.redirectUrl || !isOfOrder || (await hasOtherPayerNow(ctx, db, after)))
    return `${env.BASE_URL}/thank-you?payment_id=${after.id}`;
  return withPayment(
    link.redirectUrl,
    returnParameters(after, link, paid),
    await signingSecret(ctx),
    leftOut(link),
  );
}

/** Whether a link is paid, and a payment brought what it asks for, while it was open or paid. Other money may have paid it since. */
const isOfPaid = (link: LinkRow, { amount, currency, flags }: PaymentRow): boolean =>
  link.status === "Paid" &&
  link.amount === amount &&
  link.currency === currency &&
  !flags.includes("late");

/** A payer can come back again and again, with a new payment each time: above a few times in five minutes the payment stays as it is. */
async function lookUpForPayer(ctx: Ctx, payment: PaymentRow): Promise<PaymentRow> {
  if (!isLive(payment.status) && !awaitsFee(payment)) return payment;
  const { allowed } = await take("payer_look_up", payment.paymentLinkId ?? payment.id);
  return allowed ? reconcile(ctx, payment) : payment;
}

async function signingSecret(ctx: Ctx): Promise<string> {
  const business = await findBusiness(ctx.businessId);
  if (!business) throw new Error("no such business");
  return unseal(
    ctx.mode === "test" ? business.signingSecretTest : business.signingSecretLive,
    "signing_secret",
  );
}

type Returned = Pick<LinkRow, "id" | "reference" | "reference2" | "integrationId">;

/** What the shop's page cannot take: the WooCommerce plugin writes `payment_id` into its script without quotes. */
const leftOut = ({ integrationId, reference2 }: Returned): readonly string[] =>
  integrationId !== null && reference2 === "woocommerce" ? ["payment_id"] : [];

/** The parameters for the business's page, in the order that the hash covers. The amount is in minor units, for a shop plugin in major ones. */
export function returnParameters(
  payment: PaymentRow,
  link: Returned,
  paid: boolean,
): Array<[string, string]> {
  const all: Array<[string, string]> = [
    ["payment_link_id", link.id],
    ["payment_id", payment.id],
    ["payment_status", paid ? "1" : "2"],
    [
      "payment_amount",
      link.integrationId === null
        ? String(payment.amount)
        : decimalAmount(payment.amount, payment.currency),
    ],
    ["payment_currency", payment.currency],
    ["payment_link_reference", link.reference ?? ""],
    ["payment_link_reference_2", link.reference2 ?? ""],
    ["payment_time", payment.succeededAt ?? payment.updatedAt],
    ["payment_message", paid ? "Paid" : "The payment is being processed"],
    ["attempt_id", payment.id],
  ];
  const absent = leftOut(link);
  return all.map(([name, value]) => [name, absent.includes(name) ? "" : value]);
}

/**
 * What the hash is made over: one line a parameter. Older links may hold line feeds; each counts as a blank here and in the address, so
 * that no value can pass for another parameter.
 */
export const signedText = (parameters: ReadonlyArray<readonly [string, string]>): string =>
  parameters.map(([name, value]) => `${name}=${onOneLine(value)}`).join("\n");

const onOneLine = (value: string) => value.replaceAll("\n", " ");

/** Appends our parameters but those that are `absent`, and their hash, never overwriting one that is there. The hash covers those left out as well. */
export function withPayment(
  redirectUrl: string,
  parameters: ReadonlyArray<readonly [string, string]>,
  secret: string,
  absent: readonly string[] = [],
): string {
  const hash = createHmac("sha256", secret).update(signedText(parameters)).digest("hex");
  const appended = parameters
    .filter(([name]) => !absent.includes(name))
    .map(([name, value]) => [name, onOneLine(value)] as const);
  return withParameters(redirectUrl, [...appended, ["hash", hash]]);
}
