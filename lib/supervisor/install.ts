import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { closePool, longWork } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { stopCluster } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { assertMayWrite } from "@/db/oldest-writer";
import { preparePartitions } from "@/db/partitions";
import { assertRestoreFinished } from "@/db/unfinished-restore";
import { Refusal } from "@/db/embedded/refusal";
import { isOlder, upgradeIsPending } from "@/db/upgrade";
import { env } from "@/lib/env";
import { version } from "@/lib/kernel/version";
import type { Install } from "./open-database";
import { checkSecret, provideSecrets, verifySecret } from "./secret";
import { type OlderDatabase, prepareUpgrade } from "./upgrade";

/** Completes an open database: secret, schema, and the proof that both belong together. Says what to do where an older version made it. */
export const completeInstall = (
  install: Install,
  older: OlderDatabase = "refuse",
): Promise<number> => longWork(() => complete(install, older));

async function complete(install: Install, older: OlderDatabase): Promise<number> {
  const where = env.KUTIP_SECRET ? "the setting KUTIP_SECRET" : install.places.secret;
  await assertRestoreFinished();
  await provideSecrets(install.places.secret);
  await verifySecret(where);
  await assertMayWrite();
  if (await isOlder()) {
    if (older === "keep") return 0;
    if (older === "refuse")
      throw new Refusal(
        `this database lacks migrations of Kutip ${version}: bring it up to date with npm start, or with npm run -s kutip -- migrate (docs/upgrading.md)`,
      );
    if (await upgradeIsPending()) await prepareUpgrade(install, older);
  }
  const upgradedBy = await migrateDatabase();
  await preparePartitions();
  await checkSecret(where);
  return upgradedBy;
}

/** Lets go of the database; an embedded server that this process started for itself is stopped unless others use it by now. */
export async function closeInstall(install: Install): Promise<void> {
  await closePool();
  if (!install.embedded || !install.startedHere) return;
  if (!(await usedByOthers())) stopCluster(install.places.folder);
}

/** Asked for up to a second: the server lets go of our own connections a moment after we do. */
async function usedByOthers(): Promise<boolean> {
  for (let asked = 0; asked < 20; asked++) {
    if (!(await hasOthers())) return false;
    await pause(50);
  }
  return true;
}

async function hasOthers(): Promise<boolean> {
  const client = new pg.Client(connectionOptions());
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query(
      "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    return (rowCount ?? 0) > 0;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
