import type { Connection, Hint } from "../gateway";
import { type Looked, lookUpByIds } from "../known-ids";
import { strangeness } from "./answers";
import { call, type ChipResult } from "./client";
import { Id, Purchase } from "./shapes";

/** Reads a purchase by its id. The time keeps it from being answered out of a cache, as CHIP's own plugins do it. */
export const getPurchase = (connection: Connection, id: string): Promise<ChipResult<Purchase>> =>
  call(
    connection,
    "reading a purchase at CHIP",
    { method: "GET", path: `/purchases/${id}/?time=${Date.now()}` },
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

/** The purchase of an attempt, by the ids that we know. Another attempt's purchase, brand or mode is not taken for it. */
export const lookUp = (
  connection: Connection,
  reference: string,
  hint?: Hint,
): Promise<Looked<Purchase>> =>
  lookUpByIds(
    hint,
    (id) => Id.safeParse(id).success,
    (id) => getPurchase(connection, id),
    (purchase) => purchase.reference === reference && strangeness(connection, purchase) === null,
  );
