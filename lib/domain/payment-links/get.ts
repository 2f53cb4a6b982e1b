import type { PaymentLink } from "@/lib/contract/payment-links";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentLink } from "./present";
import { findLink } from "./rows";

/** One link. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<PaymentLink> {
  const row = await findLink(ctx, id);
  if (!row) throw notFound();
  return presentLink(row);
}
