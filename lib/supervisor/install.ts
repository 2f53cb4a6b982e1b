import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { closePool } from "@/db/client";
import { connectClient, connectionOptions } from "@/db/connection";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { chosenFolder, type Places, placesIn } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { migrateDatabase } from "@/db/migrate";
import { assertMayWrite } from "@/db/oldest-writer";
import { upgradeIsPending } from "@/db/upgrade";
import { env, provideEnv } from "@/lib/env";
import { checkSecret, provideSecrets, verifySecret } from "./secret";
import { type OlderDatabase, prepareUpgrade } from "./upgrade";

/** An install with its database reachable and its settings complete, in this process's environment. */
export type Install = { places: Places; embedded: boolean; startedHere: boolean };

/** Finds the data folder and the database, starting the embedded one if need be. Throws a Refusal when that cannot be. */
export async function openDatabase(): Promise<Install> {
  const places = placesIn(chosenFolder());
  const embedded = env.DATABASE_URL === undefined;
  const cluster = embedded ? await startCluster(places.folder) : null;
  if (!cluster) await reachable();
  provideEnv({ KUTIP_DATA_DIR: places.folder, ...(cluster ? { DATABASE_URL: cluster.url } : {}) });
  return { places, embedded, startedHere: cluster?.started ?? false };
}

/** Completes an open database: secret, schema, and the proof that both belong together. Says what to do where an older version made it. */
export async function completeInstall(
  install: Install,
  older: OlderDatabase = "refuse",
): Promise<number> {
  const where = env.KUTIP_SECRET ? "the setting KUTIP_SECRET" : install.places.secret;
  await provideSecrets(install.places.secret);
  await verifySecret(where);
  await assertMayWrite();
  if (await upgradeIsPending()) {
    if (older === "keep") return 0;
    await prepareUpgrade(install, older);
  }
  const upgradedBy = await migrateDatabase();
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

async function reachable(): Promise<void> {
  let client: pg.Client | undefined;
  try {
    client = await connectClient(undefined, { connectionTimeoutMillis: 10_000 });
    const { rows } = await client.query<{ version: string }>(
      "select current_setting('server_version_num') as version",
    );
    const version = Math.floor(Number(rows[0]?.version) / 10_000);
    if (version < 15)
      throw new Refusal(
        `the server of DATABASE_URL is Postgres ${version}: Kutip needs 15 or newer`,
      );
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(
      `the database of DATABASE_URL cannot be reached (${(error as Error).message || (error as { code?: string }).code}): check the address and that the server runs`,
    );
  } finally {
    await client?.end().catch(() => undefined);
  }
}
