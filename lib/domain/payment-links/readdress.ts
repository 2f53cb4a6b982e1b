import type { Tx } from "@/db/client";
import type { Ctx } from "../context";
import { emitMove } from "../customers/moves";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { editOf } from "../versions/edits";
import { presentLink } from "./present";
import { changeLink, type LinkRow, lockOpenPeriodLinks } from "./rows";

/**
 * Gives the open period links of a subscription the new address or phone number of its payer. A payment under way goes on, since its amount stays.
 * Returns the links as they now are.
 */
export async function readdressPeriodLinks(
  ctx: Ctx,
  tx: Tx,
  subscriptionId: string,
  payer: Partial<Pick<LinkRow, "email" | "phoneNo">>,
): Promise<LinkRow[]> {
  const links: LinkRow[] = [];
  for (const before of await lockOpenPeriodLinks(ctx, tx, subscriptionId)) {
    const row = await changeLink(ctx, tx, before.id, {
      ...payer,
      ...editOf<LinkRow>(ctx, before, payer),
    });
    links.push(row);
    const [was, data] = [presentLink(before), presentLink(row)];
    const previous = previousOf(was, data);
    if (Object.keys(previous).length === 0) continue;
    await emit(ctx, tx, { type: "payment_link.updated", objectId: row.id, data, previous });
    await emitMove(ctx, tx, was, data);
  }
  return links;
}
