import type { LinkRow } from "@/lib/domain/payment-links/rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { isLive, mayLackId } from "@/lib/domain/payments/rules";

export type Release =
  /** The link can change now. */
  | { kind: "nothing" }
  /** Money may be moving. */
  | { kind: "refuse" }
  /** No payer has the address of its page, so it ends at once. A page that arrives later is closed. */
  | { kind: "end" }
  /** The attempt is cancelled at the gateway first. */
  | { kind: "cancel" };

/**
 * What must happen before a link may change. `payment`: its open attempt. `restoredAt`: when a backup was last put in place. Links of periods have a
 * process of their own.
 */
export function decideRelease(
  link: Pick<LinkRow, "subscriptionId"> | undefined,
  payment: Pick<PaymentRow, "status" | "gatewayId" | "tokenizationId" | "startedAt"> | undefined,
  periodLinkToo: boolean,
  restoredAt: string | null,
): Release {
  if (!link || (link.subscriptionId !== null && !periodLinkToo)) return { kind: "nothing" };
  if (!payment || !isLive(payment.status)) return { kind: "nothing" };
  const mayMove = payment.status === "pending" || payment.status === "unknown";
  if (mayMove) return { kind: "refuse" };
  const hasNoPage = payment.status === "submitting" && payment.tokenizationId === null;
  return { kind: hasNoPage && !mayLackId(payment, restoredAt) ? "end" : "cancel" };
}
