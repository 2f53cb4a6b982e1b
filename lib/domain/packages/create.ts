import type { Package, PackageInput, PackageUpdate } from "@/lib/contract/packages";
import { newId } from "@/lib/kernel/ids";
import { assertChargeable } from "../gateway-connections/amounts";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { presentPackage } from "./present";
import { insertPackage, type PackageValues } from "./rows";

/** Absent optional fields become null, in create and in PUT alike. */
export function valuesOf(
  input: PackageInput & Pick<PackageUpdate, "status" | "version">,
): PackageValues {
  const {
    name,
    amount,
    currency,
    frequency,
    date_charge_start,
    description,
    status: _status,
    version: _version,
    ...unwritten
  } = input;
  return {
    name,
    amount,
    currency,
    frequency,
    dateChargeStart: date_charge_start,
    description: description ?? null,
    ...(unwritten satisfies Record<string, never>),
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
