import type { PackageDetail } from "@/lib/contract/packages";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { assertSeen } from "../versions/edits";
import { presentPackage, presentPackageDetail } from "./present";
import { lockPackage, markDeleted } from "./rows";
import { assertDeletable } from "./rules";

/** Deletes a package and returns its last state. Throws 404, and 409 while it has a live subscription. */
export async function remove(ctx: Ctx, id: string): Promise<PackageDetail> {
  return commit(ctx, async (tx) => {
    const before = await lockPackage(ctx, tx, id);
    if (!before) throw notFound();
    await assertSeen(ctx, tx, before, () => presentPackageDetail(before));
    assertDeletable(before);
    await markDeleted(ctx, tx, id);
    await emit(ctx, tx, { type: "package.deleted", objectId: id, data: presentPackage(before) });
    return presentPackageDetail(before);
  });
}
