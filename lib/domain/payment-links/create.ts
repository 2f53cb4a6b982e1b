import type { PaymentLink, PaymentLinkInput } from "@/lib/contract/payment-links";
import { newId } from "@/lib/kernel/ids";
import { assertTaken } from "../businesses/line";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { presentLink } from "./present";
import { insertLink, type LinkRow, type LinkValues } from "./rows";

/** Absent optional fields become null, in create and in PUT alike. */
export function valuesOf(input: PaymentLinkInput): Omit<LinkValues, "sendEmail"> {
  return {
    email: input.email,
    currency: input.currency,
    amount: input.amount,
    title: input.title,
    phoneNo: input.phone_no ?? null,
    description: input.description ?? null,
    redirectUrl: input.redirect_url ?? null,
    reference: input.reference ?? null,
    reference2: input.reference_2 ?? null,
    expiresAt: input.expires_at ?? null,
  };
}

/** Makes a link with its `payment_link.created` event; the payer is told by mail unless `send_email` is false. Throws 422 for an amount the gateway cannot take. */
export async function create(ctx: Ctx, input: PaymentLinkInput): Promise<PaymentLink> {
  await assertTaken(ctx, input);
  const id = newId();
  const values = { ...valuesOf(input), sendEmail: input.send_email ?? true };
  const row: LinkRow = {
    ...values,
    businessId: ctx.businessId,
    mode: ctx.mode,
    id,
    status: "Active",
    version: 1,
    changedBy: null,
    changedAt: null,
    openPaymentId: null,
    subscriptionId: null,
    periodStart: null,
    periodEnd: null,
    testClockId: null,
    importId: null,
    firstOpenedAt: null,
    paidAt: null,
    deletedAt: null,
    createdAt: "",
    updatedAt: "",
  };
  const event = {
    id: newId(),
    data: presentLink(row),
    mail: values.sendEmail ? "payment_link" : null,
  };
  if (!ctx.claim) return presentLink(await insertLink(ctx, id, values, event));
  return commit(ctx, async (tx) => presentLink(await insertLink(ctx, id, values, event, tx)));
}
