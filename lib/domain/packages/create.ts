import type { Package, PackageInput } from "@/lib/contract/packages";
import { newId } from "@/lib/kernel/ids";
import { assertChargeable } from "../gateway-connections/amounts";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { presentPackage } from "./present";
import { insertPackage, type PackageValues } from "./rows";

/** An absent description becomes null, in create and in PUT alike. */
export function valuesOf(input: PackageInput): PackageValues {
  return {
    name: input.name,
    description: input.description ?? null,
    amount: input.amount,
    currency: input.currency,
    frequency: input.frequency,
    dateChargeStart: input.date_charge_start,
  };
}

/** Makes an active package. */
export async function create(ctx: Ctx, input: PackageInput): Promise<Package> {
  await assertChargeable(ctx, input);
  return commit(ctx, async (tx) => {
    const data = presentPackage(await insertPackage(ctx, tx, newId(), valuesOf(input)));
    await emit(ctx, tx, { type: "package.created", objectId: data._id, data });
    return data;
  });
}
