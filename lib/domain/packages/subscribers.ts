import type { Tx } from "@/db/client";
import { invalid } from "@/lib/kernel/problem";
import { refusalOf } from "../gateway-connections/amounts";
import type { Ctx } from "../context";
import { addToCounts, lockPackage, type PackageRow } from "./rows";
import { assertSubscribable } from "./rules";

/** Locks a package for a new subscriber and counts it. Throws 422 on `package_id` when it takes none, or the gateway cannot take its amount. */
export async function addSubscriber(ctx: Ctx, tx: Tx, id: string): Promise<PackageRow> {
  const row = await lockPackage(ctx, tx, id);
  assertSubscribable(row);
  const refusal = await refusalOf(ctx, row, tx);
  if (refusal !== null)
    throw invalid({ package_id: [`The package cannot be charged. ${refusal}`] });
  await addToCounts(ctx, tx, id, { subscribed: 1, live: 1 });
  return row;
}

/** Counts a subscription out that was live until now; to be called once, in the transaction that cancels or deletes it. */
export async function dropLiveSubscriber(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await lockPackage(ctx, tx, id, true);
  await addToCounts(ctx, tx, id, { subscribed: 0, live: -1 });
}
