import type { Tx } from "@/db/client";
import type { Actor } from "@/db/columns";
import { record } from "../audit/record";
import { unscopedBusinessesOf, unscopedFindUser } from "./rows";

/** Writes what happened to a person's account into the audit log of every business of theirs, with the account's address; by the person themselves by default. */
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
