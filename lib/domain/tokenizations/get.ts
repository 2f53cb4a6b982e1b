import type { SeenTokenization } from "@/lib/contract/tokenizations";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentFor } from "./present";
import { find } from "./rows";

/** One record, by its token or `_id`. Throws 404. */
export async function get(ctx: Ctx, token: string): Promise<SeenTokenization> {
  const row = await find(ctx, token);
  if (!row) throw notFound();
  return presentFor(ctx, row);
}
