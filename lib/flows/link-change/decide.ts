import type { LinkRow } from "@/lib/domain/payment-links/rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { isLive } from "@/lib/domain/payments/rules";

export type Release =
  /** The link can change now. */
  | { kind: "nothing" }
  /** Money may be moving. */
  | { kind: "refuse" }
  /** The attempt is cancelled at the gateway first. */
  | { kind: "cancel" };

/** What must happen at the gateway before a link may change. `payment`: its open attempt. Links of periods have a process of their own. */
export function decideRelease(
  link: Pick<LinkRow, "subscriptionId"> | undefined,
  payment: Pick<PaymentRow, "status"> | undefined,
  periodLinkToo: boolean,
): Release {
  if (!link || (link.subscriptionId !== null && !periodLinkToo)) return { kind: "nothing" };
  if (!payment || !isLive(payment.status)) return { kind: "nothing" };
  const mayMove = payment.status === "pending" || payment.status === "unknown";
  return { kind: mayMove ? "refuse" : "cancel" };
}
