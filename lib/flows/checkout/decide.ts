import type { LinkRow } from "@/lib/domain/payment-links/rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";

/** `begin`: a new attempt on the link. `resume`: the attempt that is open. `changed`: the form is of an older version. `show`: the page says why not. */
export type Start =
  | { kind: "begin"; link: LinkRow }
  | { kind: "resume"; link: LinkRow; attempt: PaymentRow }
  | { kind: "changed" }
  | { kind: "show" };

/** What to do when a payer presses pay on a locked link that they saw at `version`. `open`: the attempt that the link has now. */
export function decideStart(
  link: LinkRow | undefined,
  open: PaymentRow | undefined,
  version: number,
  now: number,
): Start {
  if (link?.status !== "Active") return { kind: "show" };
  if (link.expiresAt && Date.parse(link.expiresAt) <= now) return { kind: "show" };
  if (link.version !== version) return { kind: "changed" };
  // The saved method is being charged for this link: there is no page to open.
  if (open?.tokenizationId) return { kind: "show" };
  return open ? { kind: "resume", link, attempt: open } : { kind: "begin", link };
}

/** Where an attempt leads: `open`: its page is not opened yet. */
export type Way = { kind: "redirect"; url: string } | { kind: "open" } | { kind: "show" };

/** Where a payer goes who presses pay on this attempt. */
export function wayOf({ status, checkoutUrl }: Pick<PaymentRow, "status" | "checkoutUrl">): Way {
  if (status === "requires_action" && checkoutUrl) return { kind: "redirect", url: checkoutUrl };
  return status === "submitting" ? { kind: "open" } : { kind: "show" };
}
