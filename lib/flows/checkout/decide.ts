import type { PayChoice } from "@/lib/contract/values";
import type { LinkRow } from "@/lib/domain/payment-links/rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { mayLackId } from "@/lib/domain/payments/rules";

/**
 * `begin`: a new attempt on the link. `replace`: the same, once the open one has ended; no payer has the address of its page. `resume`: the attempt
 * that is open. `wait`: a payer may have its page, which a restored backup does not know: the worker asks the gateway first. `close`: the payer chose another way to pay, so the open page is closed at its gateway first. `changed`: the form is of an older
 * version. `show`: the page says why not.
 */
export type Start =
  | { kind: "begin"; link: LinkRow }
  | { kind: "replace"; link: LinkRow; attempt: PaymentRow }
  | { kind: "resume"; link: LinkRow; attempt: PaymentRow }
  | { kind: "wait" }
  | { kind: "close"; attempt: PaymentRow }
  | { kind: "changed" }
  | { kind: "show" };

/** What the payer asked for. Without a choice any open attempt is meant. */
type Wanted = { version: number; connectionId: string; choice: PayChoice | null };

/** What to do when a payer presses pay on a locked link. `open`: the attempt that the link has now. `restoredAt`: when a backup was last put in place. */
export function decideStart(
  link: LinkRow | undefined,
  open: PaymentRow | undefined,
  { version, ...wanted }: Wanted,
  now: number,
  restoredAt: string | null,
): Start {
  if (link?.status !== "Active") return { kind: "show" };
  if (link.expiresAt && Date.parse(link.expiresAt) <= now) return { kind: "show" };
  if (link.version !== version) return { kind: "changed" };
  // The saved method is being charged for this link: there is no page to open.
  if (open?.tokenizationId) return { kind: "show" };
  if (!open) return { kind: "begin", link };
  if (open.status === "submitting" && mayLackId(open, restoredAt)) return { kind: "wait" };
  if (isWanted(open, wanted)) return { kind: "resume", link, attempt: open };
  if (open.status === "submitting") return { kind: "replace", link, attempt: open };
  return open.status === "requires_action" ? { kind: "close", attempt: open } : { kind: "show" };
}

const isWanted = (
  open: Pick<PaymentRow, "connectionId" | "choice">,
  { connectionId, choice }: Omit<Wanted, "version">,
): boolean =>
  choice === null ||
  (open.connectionId === connectionId &&
    open.choice?.method === choice.method &&
    open.choice.option === choice.option);

/** Where an attempt leads: `open`: its page is not opened yet. */
export type Way = { kind: "redirect"; url: string } | { kind: "open" } | { kind: "show" };

/** Where a payer goes who presses pay on this attempt. */
export function wayOf({ status, checkoutUrl }: Pick<PaymentRow, "status" | "checkoutUrl">): Way {
  if (status === "requires_action" && checkoutUrl) return { kind: "redirect", url: checkoutUrl };
  return status === "submitting" ? { kind: "open" } : { kind: "show" };
}
