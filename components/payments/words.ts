import {
  byHand,
  gatewayTitle,
  cardLabel,
  manualMethodLabels,
  methodLabel,
} from "@/lib/contract/payment-methods";
import type { Payment, PaymentWithPayer } from "@/lib/contract/payments";
import type { ListedRefund, Refund } from "@/lib/contract/refunds";
import { erasedEmail, manualMethods, type paymentAttention } from "@/lib/contract/values";
import { displayAmount } from "@/lib/kernel/money";

const meanings: Record<Payment["status"], string> = {
  submitting: "We are sending it to the payment provider.",
  requires_action: "The payer is at the payment provider and has not finished.",
  pending: "The payment provider has not decided yet. You don’t need to do anything.",
  unknown:
    "The payment provider gave no definite answer. Kutip keeps asking, and charges nothing again meanwhile. After 24 hours an owner or admin can resolve it.",
  succeeded: "The money was collected.",
  failed: "The payment provider declined it. Nothing was taken.",
  cancelled:
    "It ended before anything was paid: the payer turned back, or the link was closed. Nothing was taken.",
  partially_refunded: "Part of the money was refunded.",
  refunded: "All of the money was refunded.",
  disputed: "Answer the dispute at the payment provider. The bank’s decision appears here.",
};

const refundMeanings: Record<Refund["status"], string> = {
  submitting: "We are sending it to the payment provider.",
  pending: "The payment provider has not decided yet. You don’t need to do anything.",
  unknown:
    "The payment provider gave no definite answer. Kutip keeps asking, and refunds nothing twice. After 24 hours an owner or admin can resolve it.",
  succeeded: "The money went back.",
  failed: "The payment provider refused it. Nothing was refunded.",
};

/** What a refund's state means, in plain words. */
export const refundMeaning = ({ status }: Refund): string => refundMeanings[status];

/** Who paid what a refund gives back, and whether they are mailed; `unsent`: why mails do not go out. Empty where the payer is not known or was erased. */
export const refundedPayer = (
  payment: Pick<
    PaymentWithPayer,
    "email" | "amount" | "currency" | "flags" | "payment_link_id" | "tokenization_id"
  >,
  unsent?: string,
): { paid: string; mail: string } =>
  payment.email === null || payment.email === erasedEmail
    ? { paid: "", mail: "" }
    : {
        paid: `${payment.email} paid ${displayAmount(payment.amount, payment.currency)}.`,
        mail: unsent ?? (mayBeOfAnother(payment) ? mailedIfSame : "The payer gets an e-mail."),
      };

const mailedIfSame =
  "The payer gets an e-mail, unless the payment link was given another address since.";

/** Money that did not pay its link: the link may ask someone else by now. */
const mayBeOfAnother = ({
  flags,
  payment_link_id: link,
  tokenization_id: method,
}: Pick<PaymentWithPayer, "flags" | "payment_link_id" | "tokenization_id">): boolean =>
  link !== null && method === null && (flags.includes("late") || flags.includes("duplicate"));

export const manualOptions = manualMethods.map((value) => ({
  value,
  label: manualMethodLabels[value],
}));

/** Who moved the money: a provider by name, or how it came past one. */
export const providerOf = ({ gateway, method }: Payment): string =>
  byHand(method) ?? gatewayTitle(gateway);

/** "Visa •••• 4242", or null when no saved card was charged. */
export const savedCardOf = ({ card_brand: brand, card_last4: last4 }: PaymentWithPayer) =>
  cardLabel(brand, last4);

/** How the payer paid, as far as it is known: the saved card, the gateway's word, else who moved the money. */
export const paidThrough = (payment: PaymentWithPayer): string =>
  savedCardOf(payment) ??
  (payment.payment_method_type
    ? `${methodLabel(payment.payment_method_type)}, ${providerOf(payment)}`
    : providerOf(payment));

/** What a payment's state means, in plain words. */
export function meaningOf({
  status,
  dispute_status: dispute,
  flags: of,
}: Pick<Payment, "status" | "dispute_status" | "flags">): string {
  if (dispute === "lost") return "The payer’s bank decided for the payer, and kept the money.";
  if (collected({ status })) return meanings[status];
  if (of.includes("amount_mismatch"))
    return "Another amount or currency arrived than you asked for, so it doesn’t count as paid.";
  return of.includes("resolved")
    ? "The payment provider never gave a definite answer. A teammate ended it, and it doesn’t count as paid."
    : meanings[status];
}

/** Why it failed or what is awaited, as the provider said it; else what the state means. */
export const reasonOf = (payment: Payment): string => payment.message ?? meaningOf(payment);

export const lateText =
  "This payment arrived after the link was deleted, cancelled or expired, or its amount was changed. Fulfil the order or refund it.";

const flags: Record<string, { title: string; text: string }> = {
  duplicate: {
    title: "Paid twice",
    text: "The link was already paid when this money arrived. Refund it to the payer.",
  },
  late: {
    title: "Paid late",
    text: lateText,
  },
  amount_mismatch: {
    title: "Amount mismatch",
    text: "The payment provider reports another amount or currency than you asked for. It doesn’t count as paid. Compare it with the provider’s own records.",
  },
  resolved: {
    title: "Resolved",
    text: "A teammate looked at the provider’s records and resolved this payment.",
  },
};

/** Why a payment needs a person to look at it. */
export const flagTitle = (flag: string): string => flags[flag]?.title ?? flag.replaceAll("_", " ");

/** The same in sentences. A payment with an amount mismatch counts where the provider reported the right amount too. */
export const flagText = (flag: string, payment: Pick<Payment, "status">): string =>
  flag === "amount_mismatch" && collected(payment)
    ? "The payment provider has also reported another amount or currency than you asked for. The payment counts with the amount you asked for. Compare it with the provider’s own records."
    : (flags[flag]?.text ?? "This payment needs a review.");

/** What staff may resolve: an amount mismatch that is not resolved yet, or an outcome that has stayed unknown. `now`: milliseconds. */
export function resolvable(
  {
    flags: of,
    status,
    resolvable_at: from,
  }: Pick<PaymentWithPayer, "flags" | "status" | "resolvable_at">,
  now: number,
): "mismatch" | "unknown" | undefined {
  if (of.includes("amount_mismatch"))
    return !of.includes("resolved") && ["unknown", "failed", "cancelled"].includes(status)
      ? "mismatch"
      : undefined;
  return hasStayedUnknown({ resolvable_at: from }, now) ? "unknown" : undefined;
}

type Unknown = Pick<PaymentWithPayer | ListedRefund, "resolvable_at">;

/** Whether staff may say what became of a payment or refund without an answer. `now`: milliseconds. */
export const hasStayedUnknown = ({ resolvable_at: from }: Unknown, now: number): boolean =>
  from !== null && now >= Date.parse(from);

/** From when on staff may say it; null where they may already, or where there is nothing to say. */
export const resolvableLater = (unknown: Unknown, now: number): string | null =>
  hasStayedUnknown(unknown, now) ? null : unknown.resolvable_at;

/** Whether money came in by it. */
export const collected = ({ status }: Pick<Payment, "status">): boolean =>
  ["succeeded", "partially_refunded", "refunded", "disputed"].includes(status);

/** What the net of a payment is called, which counts neither refunds nor disputes. */
export const netLabel = (
  payment: Pick<PaymentWithPayer, "refunded_amount" | "disputed_amount" | "dispute_fee">,
): string =>
  payment.refunded_amount + payment.disputed_amount > 0 || payment.dispute_fee
    ? "Net before refunds and disputes"
    : "Net";

/** Whether there is a receipt: the money came in, and no bank has taken it back. */
export const hasReceipt = (payment: Pick<Payment, "status">): boolean =>
  collected(payment) && payment.status !== "disputed";

/** Whether money of it may still go back. */
export const refundable = ({ status }: Payment): boolean =>
  status === "succeeded" || status === "partially_refunded";

/** Why nothing of a payment can be refunded now; `by`: who made the last refund, once that is known. */
export function nothingLeft(
  { status }: Pick<Payment, "status">,
  last: Pick<Refund, "status" | "amount" | "currency"> | undefined,
  by?: string,
): string {
  if (status === "disputed" || !last)
    return "The payer’s bank has asked for the money back, so you can’t refund it now.";
  const amount = displayAmount(last.amount, last.currency);
  return last.status === "succeeded"
    ? `${amount} was refunded${by ? ` by ${by}` : ""}. Nothing is left.`
    : `${amount} is being refunded. Nothing is left.`;
}

/** Why a payment needs a person. */
export const attentionLabels: Record<(typeof paymentAttention)[number], string> = {
  payment_failed: "Payment failed",
  payment_unknown: "Outcome unknown",
  payment_mismatch: "Amount mismatch",
  payment_duplicate: "Paid twice",
  payment_late: "Paid late",
};
