import type { PackageDetail } from "@/lib/contract/packages";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentPackageDetail } from "./present";
import { findPackage } from "./rows";

/** One package. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<PackageDetail> {
  const row = await findPackage(ctx, id);
  if (!row) throw notFound();
  return presentPackageDetail(row);
}
