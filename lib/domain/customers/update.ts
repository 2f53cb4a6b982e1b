import type { Customer, CustomerUpdate } from "@/lib/contract/customers";
import { notFound } from "@/lib/kernel/problem";
import type { Tx } from "@/db/client";
import type { Ctx } from "../context";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { assertSeen, editOf } from "../versions/edits";
import { valuesOf } from "./create";
import { presentCustomer, presentForEvent } from "./present";
import { changeCustomer, type CustomerRow, lockCustomer } from "./rows";

/** Writes the events of customers that were named by records. */
export async function noteNames(
  ctx: Ctx,
  tx: Tx,
  named: readonly { before: CustomerRow; after: CustomerRow }[],
): Promise<void> {
  await Promise.all(
    named.map(({ before, after }) => {
      const data = presentForEvent(after);
      return emit(ctx, tx, {
        type: "customer.updated",
        objectId: after.id,
        data,
        previous: previousOf(presentForEvent(before), data),
      });
    }),
  );
}

/** Replaces what is known of a customer; the address stays. Throws 404, 409. */
export async function update(
  ctx: Ctx,
  id: string,
  { version: _version, ...input }: CustomerUpdate,
): Promise<Customer> {
  return commit(ctx, async (tx) => {
    const before = await lockCustomer(ctx, tx, id);
    if (!before) throw notFound();
    await assertSeen(ctx, tx, before, () => presentCustomer(ctx, before));
    const values = valuesOf(input);
    const row = await changeCustomer(ctx, tx, id, { ...values, ...editOf(ctx, before, values) });
    const data = presentForEvent(row);
    await emit(ctx, tx, {
      type: "customer.updated",
      objectId: id,
      data,
      previous: previousOf(presentForEvent(before), data),
    });
    return presentCustomer(ctx, row);
  });
}
