import type { PackageDetail, PackageUpdate } from "@/lib/contract/packages";
import { assertNone, type FieldErrors, notFound } from "@/lib/kernel/problem";
import { validateAmount } from "../gateway-connections/amounts";
import type { Ctx } from "../context";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { assertSeen, editOf } from "../versions/edits";
import { valuesOf } from "./create";
import { presentPackage, presentPackageDetail } from "./present";
import { changePackage, findPackage, lockPackage } from "./rows";
import { assertTermsKept } from "./rules";

/** The field errors of a new amount that the gateway cannot take. A package from before the gateway keeps its own, and can still be renamed or cancelled. */
export async function validateTerms(
  ctx: Ctx,
  id: string,
  { amount, currency }: Partial<PackageUpdate>,
): Promise<FieldErrors> {
  const known = await findPackage(ctx, id);
  return known && known.amount === amount && known.currency === currency
    ? {}
    : validateAmount(ctx, { amount, currency });
}

/** Replaces a package's fields; an absent status stays. Throws 404, 422 on an amount the gateway cannot take, and 409 when subscribed terms would change. */
export async function update(ctx: Ctx, id: string, input: PackageUpdate): Promise<PackageDetail> {
  assertNone(await validateTerms(ctx, id, input));
  return commit(ctx, async (tx) => {
    const before = await lockPackage(ctx, tx, id);
    if (!before) throw notFound();
    await assertSeen(ctx, tx, before, () => presentPackageDetail(before));
    const values = { ...valuesOf(input), status: input.status ?? before.status };
    assertTermsKept(before, values);
    const row = await changePackage(ctx, tx, id, { ...values, ...editOf(ctx, before, values) });
    const data = presentPackage(row);
    await emit(ctx, tx, {
      type: "package.updated",
      objectId: id,
      data,
      previous: previousOf(presentPackage(before), data),
    });
    return presentPackageDetail(row);
  });
}
