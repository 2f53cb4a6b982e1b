import { eq, inArray, sql } from "drizzle-orm";
import { checkOf, type Key } from "@/lib/kernel/secrets";
import { db, type Executor, withTransaction } from "./client";
import { settings } from "./schema/settings";
import { secretCheckKey, secretRotationKey } from "./setting-keys";

/** A rotation that has not re-sealed all values yet, by the ids of both secrets. */
export type Rotation = { from: string; to: string };

/** What the database holds of its secret: the check value of the active one, and the rotation under way. */
export type SecretState = { check: string | undefined; rotation: Rotation | undefined };

/** Reads the state. A `share` lock keeps an activation away until the transaction ends, an `update` lock also those who share. */
export async function readSecretState(
  on: Executor = db,
  lock?: "share" | "update",
): Promise<SecretState> {
  const query = on
    .select()
    .from(settings)
    .where(inArray(settings.key, [secretCheckKey, secretRotationKey]))
    .orderBy(settings.key);
  const rows = new Map(
    (await (lock ? query.for(lock) : query)).map(({ key, value }) => [key, value] as const),
  );
  return secretStateIn(rows);
}

/** The state that these settings say. */
export function secretStateIn(rows: ReadonlyMap<string, string>): SecretState {
  const rotation = rows.get(secretRotationKey);
  return {
    check: rows.get(secretCheckKey),
    rotation: rotation === undefined ? undefined : (JSON.parse(rotation) as Rotation),
  };
}

/**
 * Makes the secret `to` the active one instead of `from`, unless it is already. `assertKnown` runs while no process can join, and throws
 * when a live one does not know it.
 */
export async function activateSecret(
  from: Key,
  to: Key,
  assertKnown: (on: Executor) => Promise<void>,
): Promise<void> {
  await withTransaction(async (tx) => {
    const { check } = await readSecretState(tx, "update");
    if (check === checkOf(to)) return;
    if (check !== checkOf(from)) throw new Error("another secret was activated meanwhile");
    await assertKnown(tx);
    await tx
      .update(settings)
      .set({ value: checkOf(to) })
      .where(eq(settings.key, secretCheckKey));
    const value = JSON.stringify({ from: from.id, to: to.id } satisfies Rotation);
    await tx
      .insert(settings)
      .values({ key: secretRotationKey, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } });
  });
}

/** Ends the rotation to this secret: its values are all re-sealed. */
export async function endRotation(to: string): Promise<void> {
  await db
    .delete(settings)
    .where(
      sql`${settings.key} = ${secretRotationKey} and ${settings.value}::jsonb ->> 'to' = ${to}`,
    );
}
