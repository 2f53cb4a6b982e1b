import type { Mail } from "@/lib/contract/mails";
import { mailKinds } from "@/lib/contract/values";

const kinds: Record<(typeof mailKinds)[number], string> = {
  payment_link: "Payment link",
  payment_reminder: "Reminder",
  receipt: "Receipt",
  payment_due: "Period due",
  payment_overdue: "Period overdue",
  payment_failed: "Charge failed",
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
    "This recipient has had many mails from you today. It is sent when the limit allows it, within a day.",
  sent: "The mail server took it.",
  kept: "It was not sent: no mail server is set, or this is test mode, where only team members who have confirmed their address are mailed.",
  failed: "The mail server refused it for good. Check the address.",
  unknown: "The mail server gave no definite answer, so it may or may not have arrived.",
};

/** What a mail's state means, in plain words. */
export const meaningOf = ({ status }: Mail): string => meanings[status];
