import type { SeenTokenization } from "@/lib/contract/tokenizations";
import { conflict, notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentFor } from "./present";
import { find } from "./rows";

/** One record, by its token or `_id`. Throws 404. */
export async function get(ctx: Ctx, token: string): Promise<SeenTokenization> {
  const row = await find(ctx, token);
  if (!row) throw notFound();
  return presentFor(ctx, row);
}

/** Where the payer saves a payment method, while they can. Throws 404, 409. */
export async function activationAddress(ctx: Ctx, token: string): Promise<string> {
  const { status, activation_url } = await get(ctx, token);
  if (status !== "pending" || activation_url === null)
    throw conflict("The payer can no longer save a payment method for this token.");
  return activation_url;
}
