import type { PaymentLink } from "@/lib/contract/payment-links";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentLink } from "./present";
import { findShownLink } from "./shown-rows";

/** One link. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<PaymentLink> {
  const row = await findShownLink(ctx, id);
  if (!row) throw notFound();
  return presentLink(row);
}
