import type { Executor, Tx } from "@/db/client";
import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import { connectionsOf, refusalOf } from "../gateway-connections/amounts";
import type { Ctx } from "../context";
import { addToCounts, findPackage, lockPackage, type PackageRow } from "./rows";
import { assertSubscribable, isSubscribable, subscribingObjections } from "./rules";

/** The field errors of a package that takes no new subscribers, or has an amount that the gateway cannot take. */
export async function validateSubscribing(
  ctx: Ctx,
  id: string,
  on: Executor,
): Promise<FieldErrors> {
  const row = await findPackage(ctx, id, on);
  return isSubscribable(row) ? validateCharges(ctx, row, on) : subscribingObjections(row);
}

async function validateCharges(ctx: Ctx, row: PackageRow, on: Executor): Promise<FieldErrors> {
  const refusal = await refusalOf(connectionsOf(ctx, on), row);
  return refusal === null ? {} : { package_id: [`The package cannot be charged. ${refusal}`] };
}

/** Locks a package for a new subscriber and counts it. Throws 422 on `package_id` when it takes none, or the gateway cannot take its amount. */
export async function addSubscriber(ctx: Ctx, tx: Tx, id: string): Promise<PackageRow> {
  const row = await lockPackage(ctx, tx, id);
  assertSubscribable(row);
  assertNone(await validateCharges(ctx, row, tx));
  await addToCounts(ctx, tx, id, { subscribed: 1, live: 1 });
  return row;
}

/** Counts a subscription out that was live until now; to be called once, in the transaction that cancels or deletes it. */
export async function dropLiveSubscriber(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await lockPackage(ctx, tx, id, true);
  await addToCounts(ctx, tx, id, { subscribed: 0, live: -1 });
}
