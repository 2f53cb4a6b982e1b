import type { LinkStatus } from "@/lib/contract/values";
import { conflict, type FieldErrors } from "@/lib/kernel/problem";
import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import { ERASED_EMAIL } from "../payers/rules";

type Changing = { status: LinkStatus; subscriptionId: string | null; openPaymentId: string | null };

/** A link in one of these waits to be paid. */
export const openStatuses: readonly LinkStatus[] = ["Active", "Processing"];

/** Whether a link waits to be paid after its due date. `now`: a moment as rows hold it. */
export const isOverdue = (
  { status, dueAt }: { status: LinkStatus; dueAt: string | null },
  now: string,
): boolean => openStatuses.includes(status) && dueAt !== null && dueAt <= now;

/** The field errors of a due date after which the link cannot be paid, and of a missing one that reminders count from. */
export function validateDue({
  due_at: due,
  expires_at: expiry,
  reminders = [],
}: Pick<Partial<PaymentLinkInput>, "due_at" | "expires_at" | "reminders">): FieldErrors {
  if (due === undefined)
    return reminders.some(({ relative_to: base }) => base === "due_at")
      ? { due_at: ["The due at field is required for a reminder that is relative to it."] }
      : {};
  return expiry !== undefined && due > expiry
    ? { due_at: ["The due at must not be after the expiry."] }
    : {};
}

/** Whether PUT, DELETE and cancel may change a link now; throws 409 with the reason. */
export function assertChangeable(link: Changing, periodLinkToo = false): void {
  if (link.subscriptionId && !periodLinkToo)
    throw conflict("This payment link belongs to a subscription period and cannot be changed.");
  if (link.status === "Paid") throw conflict("This payment link is already paid.");
  if (link.status === "Processing") throw conflict("A payment for this link is being processed.");
  if (link.openPaymentId) throw conflict("A payer is at the payment provider for this link.");
}

/** Throws 409 for the link of an erased payer: it has no one to ask. */
export function assertPayerKept({ email }: { email: string }): void {
  if (email === ERASED_EMAIL) throw conflict("The payer of this payment link was erased.");
}

/** What a PUT makes of the status: a new expiry brings an expired link back, nothing else changes it. */
export function statusAfterUpdate(status: LinkStatus): LinkStatus {
  return status === "Expired" ? "Active" : status;
}

/** What a payer's page shows of a link. */
export type LinkState = "deleted" | "paid" | "processing" | "expired" | "cancelled" | "pay";

/** What the payer's page of a link shows now. `over`: its expiry has passed. */
export function stateOf({
  link,
  over,
}: {
  link: { status: LinkStatus; deletedAt: string | null };
  over: boolean;
}): LinkState {
  if (link.deletedAt) return "deleted";
  switch (link.status) {
    case "Paid":
      return "paid";
    case "Processing":
      return "processing";
    case "Cancelled":
      return "cancelled";
    case "Expired":
      return "expired";
    case "Active":
      return over ? "expired" : "pay";
  }
}
