import type { ReminderFacts } from "@/lib/domain/payment-links/reminder-rows";
import type { LinkRow } from "@/lib/domain/payment-links/rows";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";

export type Decision =
  /** Nothing changes: the link is not due for a reminder now. */
  | { kind: "leave" }
  | { kind: "wait"; until: string }
  /** No mail: what is due is passed over. */
  | { kind: "pass" }
  | { kind: "mail" };

export type Facts = {
  link: Pick<LinkRow, "status" | "openPaymentId" | "deletedAt" | "email"> | undefined;
  reminder: Pick<ReminderFacts, "due" | "payable" | "morning"> | undefined;
  /** The business has a gateway in the link's mode. */
  connected: boolean;
  /** Money came that does not pay the link, and the business has it. */
  keptMoney: boolean;
};

/** What to do about the reminder of a claimed link. A late one goes out once, and not before the morning. */
export function decide({ link, reminder, connected, keptMoney }: Facts): Decision {
  if (!link || !reminder || link.deletedAt !== null || link.status !== "Active")
    return { kind: "leave" };
  if (link.openPaymentId !== null) return { kind: "leave" };
  if (!reminder.due || !reminder.payable || !connected || link.email === ERASED_EMAIL)
    return { kind: "pass" };
  if (keptMoney) return { kind: "pass" };
  return reminder.morning === null ? { kind: "mail" } : { kind: "wait", until: reminder.morning };
}
