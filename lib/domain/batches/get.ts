import type { Batch } from "@/lib/contract/batches";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentBatch, shownWith } from "./present";
import { findBatch } from "./rows";

/** One batch. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<Batch> {
  const row = await findBatch(ctx, id);
  if (!row) throw notFound();
  return presentBatch(row, await shownWith(ctx, [row]));
}
