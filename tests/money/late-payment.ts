import type { Ctx } from "@/lib/domain/context";
import { findLink } from "@/lib/domain/payment-links/rows";
import { findPayment } from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { press } from "./setting-verbs";

/** A payer is at the gateway while the link changes, and the gateway reports the money after that. Returns the payment's id. */
export async function payLate(
  ctx: Ctx,
  linkId: string,
  change: () => Promise<unknown>,
): Promise<string> {
  await press(ctx, linkId);
  const id = (await findLink(ctx, linkId))?.openPaymentId ?? "";
  await change();
  const payment = await findPayment(ctx, id);
  if (!payment) throw new Error("the payer could not begin to pay");
  const { amount, currency, gatewayId } = payment;
  const paid = await settle(ctx, id, {
    kind: "succeeded",
    gatewayId: gatewayId ?? "",
    amount,
    currency,
    fee: 0,
  });
  if (!paid.flags.includes("late")) throw new Error("the payment paid its link");
  return id;
}
