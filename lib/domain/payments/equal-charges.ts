import type { EqualCharges } from "@/lib/contract/lost-answers";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { find as findTokenization } from "../tokenizations/rows";
import { chargesWithin } from "./list-rows";
import { presentPayment } from "./present";

const EQUAL_CHARGE_MINUTES = 15;

/** Charges of the same saved method and amount a short time ago: staff are warned before they charge again. Throws 404. */
export async function equalCharges(
  ctx: Ctx,
  token: string,
  terms: { amount: number; currency: string },
): Promise<EqualCharges> {
  const known = await findTokenization(ctx, token);
  if (!known) throw notFound();
  const rows = await chargesWithin(ctx, known.id, terms, EQUAL_CHARGE_MINUTES);
  return { minutes: EQUAL_CHARGE_MINUTES, payments: rows.map(presentPayment) };
}
