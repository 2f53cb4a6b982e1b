import type { Payment } from "@/lib/contract/payments";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentPayment } from "./present";
import { findPayment } from "./rows";

/** One payment. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<Payment> {
  const row = await findPayment(ctx, id);
  if (!row) throw notFound();
  return presentPayment(row);
}
