import type { PaymentWithPayer } from "@/lib/contract/payments";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { withPayers } from "./payer-rows";
import { presentWithPayer } from "./present";
import { findPayment } from "./rows";

/** Payments of these ids with their payers, in no order; those that do not exist are left out. */
export async function getAll(ctx: Ctx, ids: readonly string[]): Promise<PaymentWithPayer[]> {
  const rows = await Promise.all(ids.map((id) => findPayment(ctx, id)));
  return (
    await withPayers(
      ctx,
      rows.filter((row) => row !== undefined),
    )
  ).map(presentWithPayer);
}

/** One payment with its payer. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<PaymentWithPayer> {
  const row = await findPayment(ctx, id);
  const [known] = row ? await withPayers(ctx, [row]) : [];
  if (!known) throw notFound();
  return presentWithPayer(known);
}
