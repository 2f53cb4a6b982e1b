import type { LinkStatus } from "@/db/schema/payment-links";
import { conflict } from "@/lib/kernel/problem";

type Changing = { status: LinkStatus; subscriptionId: string | null; openPaymentId: string | null };

/** Whether PUT, DELETE and cancel may change a link now; throws 409 with what stands in the way. */
export function assertChangeable(link: Changing, periodLinkToo = false): void {
  if (link.subscriptionId && !periodLinkToo)
    throw conflict("This payment link belongs to a subscription period and cannot be changed.");
  if (link.status === "Paid") throw conflict("This payment link is already paid.");
  if (link.status === "Processing") throw conflict("A payment for this link is being processed.");
  if (link.openPaymentId) throw conflict("A payer is at the gateway for this link.");
}

/** What a PUT makes of the status: a new expiry brings an expired link back, nothing else changes it. */
export function statusAfterUpdate(status: LinkStatus): LinkStatus {
  return status === "Expired" ? "Active" : status;
}
