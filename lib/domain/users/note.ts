import type { Tx } from "@/db/client";
import type { Actor } from "@/db/schema/events";
import { record } from "../audit/record";
import { unscopedBusinessesOf, unscopedFindUser } from "./rows";

/** Writes what happened to a person's account into the audit log of every business of theirs, with the account's address; by themselves unless told. */
export async function noteInBusinesses(
  tx: Tx,
  userId: string,
  entry: { action: string; address: string | null; details?: Record<string, unknown> },
  actor: Actor = { kind: "person", id: userId },
): Promise<void> {
  const user = await unscopedFindUser(userId, tx);
  const ids = (await unscopedBusinessesOf(userId, tx)).map(({ id }) => id);
  // In one order everywhere, since each entry locks the end of a business's log.
  for (const id of ids.sort((a, b) => a - b)) {
    await record(tx, id, actor, {
      ...entry,
      objectId: userId,
      details: { ...entry.details, email: user?.email },
    });
  }
}
