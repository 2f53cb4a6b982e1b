import type { Mail } from "@/lib/contract/mails";
import { mailKinds } from "@/lib/contract/values";

const kinds: Record<(typeof mailKinds)[number], string> = {
  payment_link: "Payment link",
  payment_reminder: "Reminder",
  receipt: "Receipt",
  payment_due: "Period due",
  payment_overdue: "Period overdue",
  payment_failed: "Charge failed",
  payment_unconfirmed: "Charge not confirmed",
  subscription_halted: "Subscription halted",
  subscription_receipt: "Subscription receipt",
  subscription_cancelled: "Subscription cancelled",
  refund: "Refund",
  subscription_refund: "Subscription refund",
  token_receipt: "Charge receipt",
  token_refund: "Charge refund",
};

/** What a mail was sent for, in words. */
export const kindLabel = (kind: string): string =>
  (kinds as Record<string, string | undefined>)[kind] ?? kind.replaceAll("_", " ");

export const kindOptions = mailKinds.map((value) => ({ value, label: kinds[value] }));

const meanings: Record<Mail["status"], string> = {
  queued: "It waits to be sent.",
  waiting:
    "It is sent later. This recipient has had many mails from you today, a payment of the link is under way, or no payment provider is connected.",
  sent: "The mail server accepted it.",
  kept: "It was not sent.",
  failed: "It could not be sent, and is not tried again.",
  unknown: "The mail server gave no definite answer, so it may or may not have arrived.",
};

type Outcome = Pick<Mail, "status" | "error">;

/** What a mail's state means, in plain words. */
export const meaningOf = ({ status }: Outcome): string => meanings[status];

/** Why a mail was not sent, or not yet. The error of an earlier try is not why a mail that is sent later waits. */
export const whyUnsent = ({ status, error }: Outcome): string | null =>
  status === "sent" || status === "waiting" ? null : error;
