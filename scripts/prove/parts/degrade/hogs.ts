import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

const NAME = "hog";
const PAUSE_MS = 20;

const newClient = (url: string) => {
  const client = new pg.Client({ connectionString: url, application_name: NAME });
  client.on("error", () => undefined);
  return client;
};

/** Takes every connection that Postgres gives, those of others included, until no other program has one; returns how many, and how to let go. */
export async function hogConnections(
  url: string,
): Promise<{ taken: number; release: () => Promise<void> }> {
  const first = newClient(url);
  await first.connect();
  const hogs = [first];
  const takeFree = async () => {
    for (;;) {
      const client = newClient(url);
      try {
        await client.connect();
        hogs.push(client);
      } catch (error) {
        if ((error as { code?: string }).code === "53300") return;
        throw error;
      }
    }
  };
  for (let alone = 0; alone < 20; ) {
    await takeFree();
    const { rowCount } = await first.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and application_name <> $1",
      [NAME],
    );
    alone = rowCount === 0 ? alone + 1 : 0;
    await pause(PAUSE_MS);
  }
  return {
    taken: hogs.length,
    release: async () => void (await Promise.all(hogs.map((one) => one.end()))),
  };
}

/** The SQLSTATE that a new connection is refused with, "none" where it is not. */
export async function refusalOf(url: string): Promise<string> {
  const client = newClient(url);
  try {
    await client.connect();
    return "none";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Locks rows of links as a transaction that never ends. Returns how to let go. */
export async function lockLinks(url: string, ids: readonly string[]): Promise<() => Promise<void>> {
  const client = newClient(url);
  await client.connect();
  await client.query("begin");
  await client.query("select id from payment_links where id = any($1) for update", [ids]);
  return async () => {
    await client.query("rollback");
    await client.end();
  };
}

/** A client without limits that changes a row: resolves when it could, with the seconds it took. */
export async function changeWithoutLimit(url: string, id: string): Promise<number> {
  const client = newClient(url);
  await client.connect();
  const began = performance.now();
  await client
    .query("update payment_links set title = title where id = $1", [id])
    .catch(() => undefined);
  await client.end();
  return (performance.now() - began) / 1_000;
}
