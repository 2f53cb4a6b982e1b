import type { ReceiptContent } from "@/lib/compute/tasks";
import { conflict, notFound } from "@/lib/kernel/problem";
import { logoToDraw } from "../businesses/logo";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { referencesOf } from "./references";
import { findPayment, type PaymentRow } from "./rows";

const paid: readonly PaymentRow["status"][] = ["succeeded", "partially_refunded", "refunded"];

/** What the receipt of a payment that succeeded says, refunded or not. Throws 404, 409. */
export async function receipt(ctx: Ctx, id: string): Promise<ReceiptContent> {
  const payment = await findPayment(ctx, id);
  if (!payment) throw notFound();
  if (!paid.includes(payment.status) || payment.succeededAt === null)
    throw conflict("There is a receipt only for a payment that succeeded.");
  const business = await findBusiness(ctx.businessId);
  if (!business) throw new Error("a payment of a business that does not exist");
  return {
    business: {
      name: business.name,
      accent: business.accent,
      supportEmail: business.supportEmail,
      supportPhone: business.supportPhone,
      timeZone: business.timeZone,
    },
    logo: business.logo ? await logoToDraw(ctx) : null,
    test: ctx.mode === "test",
    title: payment.title,
    amount: payment.amount,
    refunded: payment.refundedAmount,
    currency: payment.currency,
    references: referencesOf(payment).filter((reference) => reference !== null),
    paidAt: payment.succeededAt,
    paymentId: payment.id,
  };
}
