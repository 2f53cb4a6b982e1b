import type { Connection, Hint } from "../gateway";
import { strangeness } from "./answers";
import { call, type ChipResult } from "./client";
import { Id, Purchase } from "./shapes";

/** Reads a purchase by its id. */
export const getPurchase = (connection: Connection, id: string): Promise<ChipResult<Purchase>> =>
  call(
    connection,
    "reading a purchase at CHIP",
    { method: "GET", path: `/purchases/${id}/` },
    Purchase,
  );

/** Closes a purchase that can still be paid, so that it takes no money later. */
export const cancelPurchase = (
  connection: Pick<Connection, "id" | "secret">,
  id: string,
): Promise<ChipResult<Purchase>> =>
  call(
    connection,
    "cancelling a purchase at CHIP",
    { method: "POST", path: `/purchases/${id}/cancel/` },
    Purchase,
  );

/** `nothing`: no id that we know leads to a purchase of this reference. That is no proof: CHIP has no list. */
export type Looked =
  | { kind: "found"; purchase: Purchase }
  | { kind: "nothing" }
  | { kind: "unsure"; reason: string };

/** The purchase of an attempt, by the ids that we know. Another attempt's purchase, brand or mode is not taken for it. */
export async function lookUp(
  connection: Connection,
  reference: string,
  hint?: Hint,
): Promise<Looked> {
  for (const id of new Set([hint?.fromCallback, hint?.gatewayId])) {
    if (!id || !Id.safeParse(id).success) continue;
    const result = await getPurchase(connection, id);
    if (result.ok) {
      const { value: purchase } = result;
      if (purchase.reference === reference && strangeness(connection, purchase) === null)
        return { kind: "found", purchase };
    } else if (result.trouble.kind !== "missing")
      return { kind: "unsure", reason: result.trouble.reason };
  }
  return { kind: "nothing" };
}
