import type { LedgerEntry } from "@/lib/contract/ledger";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentEntry } from "./present";
import { findEntry } from "./rows";

/** One entry of the ledger. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<LedgerEntry> {
  const row = await findEntry(ctx, id);
  if (!row) throw notFound();
  return presentEntry(row);
}
