import type { Package, PackageUpdate } from "@/lib/contract/packages";
import { notFound } from "@/lib/kernel/problem";
import { assertChargeable } from "../gateway-connections/amounts";
import type { Ctx } from "../context";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { assertSeen, editOf } from "../versions/edits";
import { valuesOf } from "./create";
import { presentPackage } from "./present";
import { changePackage, findPackage, lockPackage } from "./rows";
import { assertTermsKept } from "./rules";

/** Replaces a package's fields; an absent status stays. Throws 404, 422 on an amount the gateway cannot take, and 409 when subscribed terms would change. */
export async function update(ctx: Ctx, id: string, input: PackageUpdate): Promise<Package> {
  // A package from before the gateway keeps an amount that is not taken, and can still be renamed or cancelled.
  const known = await findPackage(ctx, id);
  if (known?.amount !== input.amount || known.currency !== input.currency)
    await assertChargeable(ctx, input);
  return commit(ctx, async (tx) => {
    const before = await lockPackage(ctx, tx, id);
    if (!before) throw notFound();
    await assertSeen(ctx, tx, before, () => presentPackage(before));
    const values = { ...valuesOf(input), status: input.status ?? before.status };
    assertTermsKept(before, values);
    const data = presentPackage(
      await changePackage(ctx, tx, id, { ...values, ...editOf(ctx, before, values) }),
    );
    await emit(ctx, tx, {
      type: "package.updated",
      objectId: id,
      data,
      previous: previousOf(presentPackage(before), data),
    });
    return data;
  });
}
