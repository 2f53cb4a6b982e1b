import type { Tx } from "@/db/client";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { normalAddress } from "../payers/rules";
import { customerOf } from "./rows";

type Shown = Readonly<Record<string, unknown>> & { email: string };

/** When a link was given another address: writes an event for the customer who had the link. The link's own event is on the other customer's timeline. */
export async function emitMove(ctx: Ctx, tx: Tx, before: Shown, after: Shown): Promise<void> {
  if (normalAddress(before.email) === normalAddress(after.email)) return;
  const left = await customerOf(ctx, tx, before.email);
  if (!left) return;
  await emit(ctx, tx, {
    type: "customer.link_moved",
    objectId: left.id,
    data: { ...after },
    previous: { email: before.email },
  });
}
