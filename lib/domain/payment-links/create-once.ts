import type { PaymentLink, PaymentLinkInput } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { valuesOf, writeLink } from "./create";
import { equalOpenLink, lockReference } from "./integration-rows";
import { presentLink } from "./present";
import { assertLink } from "./validate";

/**
 * Creates the link of a shop plugin. Some plugins create twice: the second call returns the link that still waits to be paid, also while a
 * payment is under way, and sends no mail. Without a reference two equal calls may be two orders. Throws 422 for an amount that the gateway cannot take.
 */
export async function createOnce(
  ctx: Ctx,
  integrationId: string,
  input: PaymentLinkInput,
): Promise<PaymentLink> {
  await assertLink(ctx, input);
  const values = { ...valuesOf(input), sendEmail: input.send_email ?? true, integrationId };
  return commit(ctx, async (tx) => {
    if (values.reference !== null) {
      await lockReference(ctx, tx, integrationId, values.reference);
      const equal = await equalOpenLink(ctx, tx, integrationId, values);
      if (equal) return presentLink(equal);
    }
    const mail = values.sendEmail ? "payment_link" : null;
    return presentLink(await writeLink(ctx, values, mail, tx));
  });
}
