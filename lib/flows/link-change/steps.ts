import type { PaymentLink, PaymentLinkUpdate } from "@/lib/contract/payment-links";
import type { Ctx } from "@/lib/domain/context";
import { cancel as cancelReleased } from "@/lib/domain/payment-links/cancel";
import { remove as removeReleased } from "@/lib/domain/payment-links/remove";
import { update as updateReleased } from "@/lib/domain/payment-links/update";
import { assertLink } from "@/lib/domain/payment-links/validate";
import { withReleasedLink } from "./release";

// Each step first cancels the payer's open attempt at the gateway, and only then changes the link.

/** Replaces a link's fields. Throws 404, 409, 422. */
export async function update(ctx: Ctx, id: string, input: PaymentLinkUpdate): Promise<PaymentLink> {
  // Asked beforehand too: no payer's page is closed for a call that is refused.
  await assertLink(ctx, input, id);
  return withReleasedLink(ctx, id, () => updateReleased(ctx, id, input));
}

/** Deletes a link and returns it as it last was. Throws 404, 409. */
export const remove = (ctx: Ctx, id: string): Promise<PaymentLink> =>
  withReleasedLink(ctx, id, () => removeReleased(ctx, id));

/** Cancels a link: it takes no money until it is reopened. Throws 404, 409. */
export const cancel = (ctx: Ctx, id: string): Promise<PaymentLink> =>
  withReleasedLink(ctx, id, () => cancelReleased(ctx, id));
