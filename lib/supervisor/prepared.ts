import type pg from "pg";
import type { Places } from "@/db/embedded/folder";
import { readJournal } from "@/db/migration-files";
import { secretCheckKey, secretRotationKey } from "@/db/setting-keys";
import { env } from "@/lib/env";
import { checkOf, knownKeys } from "@/lib/kernel/secrets";
import { followSecretFile, readSecret } from "./secret-file";

/** Whether an install was never started with this data folder: it has no secret yet. */
export const isNew = ({ secret }: Places): boolean =>
  !env.KUTIP_SECRET && readSecret(secret) === "";

type Found = { applied: string[]; check: string | null; whole: boolean };

/**
 * Whether nothing is left to prepare: the database has exactly this version's migrations, belongs to the secret of this install, and has a business.
 * Anything else, and what cannot be read, is for the preparation, which also says why an install cannot start.
 */
export async function isPrepared(connection: pg.Pool, { secret }: Places): Promise<boolean> {
  if (!env.KUTIP_SECRET) followSecretFile(secret);
  if (!env.KUTIP_SECRET) return false;
  const found = await connection
    .query<Found>(
      `select array(select created_at::text from drizzle.__drizzle_migrations) as applied,
        (select value from settings where key = $1) as check,
        exists (select from businesses) and exists (select from audit_keys)
          and not exists (select from settings where key = $2) as whole`,
      [secretCheckKey, secretRotationKey],
    )
    .then(({ rows }) => rows[0])
    .catch(() => undefined);
  if (!found?.whole || found.check !== checkOf(knownKeys()[0])) return false;
  const wanted = readJournal().map(({ when }) => String(when));
  return (
    found.applied.length === wanted.length && wanted.every((when) => found.applied.includes(when))
  );
}
