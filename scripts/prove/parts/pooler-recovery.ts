import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Database } from "./image/database";
import { until } from "./patroni/cluster";
import type { Pooler } from "./pgbouncer";

const AWAY_SECONDS = 3;
const PATIENCE_SECONDS = 60;
const EVERY_MS = 200;

/** Takes the server away for some seconds, and returns the seconds after which the pooler serves callers again. */
export async function secondsToRecover(
  pooler: Pooler,
  { goAway, comeBack }: Pick<Database, "goAway" | "comeBack">,
): Promise<number> {
  const isServed = () => served(pooler.url("kutip"));
  await until("answer", PATIENCE_SECONDS, async () => (await isServed()) || undefined);
  goAway();
  // Callers go on, so that the pooler finds out that it cannot sign in.
  const began = performance.now();
  while (performance.now() - began < AWAY_SECONDS * 1_000) {
    void isServed();
    await pause(EVERY_MS);
  }
  comeBack();
  const back = performance.now();
  await until("answer", PATIENCE_SECONDS, async () => (await isServed()) || undefined);
  return (performance.now() - back) / 1_000;
}

async function served(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
