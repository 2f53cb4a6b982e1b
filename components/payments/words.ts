import type { Payment } from "@/lib/contract/payments";
import type { Refund } from "@/lib/contract/refunds";
import { byHandMethods } from "@/lib/contract/values";

const meanings: Record<Payment["status"], string> = {
  submitting: "We are telling the payment provider about it.",
  requires_action: "The payer is at the payment provider and has not finished.",
  pending:
    "The payment provider has not decided yet. The answer comes by itself; nothing needs doing.",
  unknown:
    "The payment provider gave no definite answer. It is asked until it does, and nothing is charged again meanwhile.",
  succeeded: "The money was collected.",
  failed: "The payment provider declined it. Nothing was taken.",
  cancelled:
    "It ended before anything was paid: the payer turned back, or the link was closed. Nothing was taken.",
  partially_refunded: "Part of the money was given back.",
  refunded: "All of the money was given back.",
  disputed: "A dispute is answered at the payment provider; what the bank decides shows up here.",
};

const refundMeanings: Record<Refund["status"], string> = {
  submitting: "We are telling the payment provider about it.",
  pending: "The payment provider has not decided yet. The answer comes by itself.",
  unknown:
    "The payment provider gave no definite answer. It is asked until it does, and nothing is given back twice.",
  succeeded: "The money went back.",
  failed: "The payment provider refused it. Nothing was given back.",
};

/** What a refund's state means, in plain words. */
export const refundMeaning = ({ status }: Refund): string => refundMeanings[status];

const methods: Record<(typeof byHandMethods)[number], string> = {
  cash: "Cash",
  bank_transfer: "Bank transfer",
  other: "Another way",
};

export const byHandOptions = byHandMethods.map((value) => ({ value, label: methods[value] }));

/** Who moved the money: a provider by name, or how it came past one. */
export const providerOf = ({ gateway, method }: Payment): string =>
  method ? `${methods[method]}, by hand` : gateway.charAt(0).toUpperCase() + gateway.slice(1);

/** What a payment's state means, in plain words. */
export const meaningOf = ({ status }: Payment): string => meanings[status] ?? status;

/** Why it failed or what is awaited, as the provider said it; else what the state means. */
export const reasonOf = (payment: Payment): string => payment.message ?? meaningOf(payment);

const flags: Record<string, { title: string; text: string }> = {
  duplicate: {
    title: "Paid twice",
    text: "The link was already paid when this money arrived. Give it back to the payer.",
  },
  late: {
    title: "Paid late",
    text: "The link was deleted, cancelled or expired when this money arrived. Deliver what was paid for, or give it back.",
  },
  mismatch: {
    title: "Another amount",
    text: "The payment provider speaks of another amount or currency than was asked. It does not count as paid; compare it with the provider’s own records.",
  },
  closed: {
    title: "Closed by staff",
    text: "Somebody of your team has dealt with this money at the payment provider.",
  },
};

/** Why a payment needs a person to look at it. */
export const flagWords = (flag: string): { title: string; text: string } =>
  flags[flag] ?? {
    title: flag.replaceAll("_", " "),
    text: "This payment was marked to be looked at.",
  };

/** Whether it is of another amount than was asked, and nobody has dealt with it yet. */
export const closable = ({ flags: of, status }: Payment): boolean =>
  of.includes("mismatch") &&
  !of.includes("closed") &&
  ["unknown", "failed", "cancelled"].includes(status);

/** Whether money came in by it, so that there is a receipt. */
export const collected = ({ status }: Payment): boolean =>
  ["succeeded", "partially_refunded", "refunded", "disputed"].includes(status);
