import type { Package } from "@/lib/contract/packages";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentPackage } from "./present";
import { findPackage } from "./rows";

/** One package. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<Package> {
  const row = await findPackage(ctx, id);
  if (!row) throw notFound();
  return presentPackage(row);
}
