import type pg from "pg";
import { connectClient } from "@/db/connection";
import { startCluster } from "@/db/embedded/cluster";
import { chosenFolder, type Places, placesIn } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { env, provideEnv } from "@/lib/env";

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
