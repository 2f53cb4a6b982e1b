import { conflict, notFound } from "@/lib/kernel/problem";
import { type BusinessRow, findBusiness, findLogo, type LogoRow } from "../businesses/rows";
import type { Ctx } from "../context";
import { findPayment, type PaymentRow } from "./rows";

/** What a receipt says. */
export type Receipt = {
  payment: PaymentRow;
  business: BusinessRow;
  paidAt: string;
  references: string[];
  logo: LogoRow | undefined;
};

const paid: readonly PaymentRow["status"][] = ["succeeded", "partially_refunded", "refunded"];

/** The receipt of a payment that succeeded, refunded or not. Throws 404, 409. */
export async function receipt(ctx: Ctx, id: string): Promise<Receipt> {
  const payment = await findPayment(ctx, id);
  if (!payment) throw notFound();
  if (!paid.includes(payment.status) || payment.succeededAt === null)
    throw conflict("There is a receipt only for a payment that succeeded.");
  const business = await findBusiness(ctx.businessId);
  if (!business) throw new Error("a payment of a business that does not exist");
  return {
    payment,
    business,
    paidAt: payment.succeededAt,
    references: payment.reference === null ? [] : [payment.reference],
    logo: business.logo ? await findLogo(ctx.businessId) : undefined,
  };
}
