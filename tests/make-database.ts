import { randomBytes } from "node:crypto";
import pg from "pg";
import { connectionOptions } from "@/db/connection";

/** Settings of a process that uses a database: through the PgBouncer of TEST_POOLER_URL where that is set. */
export function settingsFor(url: string): { DATABASE_URL: string; DATABASE_DIRECT_URL: string } {
  const given = process.env.TEST_POOLER_URL;
  if (!given) return { DATABASE_URL: url, DATABASE_DIRECT_URL: "" };
  const pooled = new URL(given);
  pooled.pathname = new URL(url).pathname;
  pooled.searchParams.set("pgbouncer", "true");
  return { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: url };
}

/** Runs statements on a server, one after the other. */
async function run(server: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(connectionOptions(server));
  await client.connect();
  try {
    // A copy of the template may take long on a busy machine.
    await client.query("set statement_timeout = 0");
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const databaseOn = (server: string, name: string) => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};

/** The servers of a database: one, or the coordinator of TEST_CITUS_URL and its workers. */
async function serversOf(server: string): Promise<string[]> {
  if (!process.env.TEST_CITUS_URL) return [server];
  const client = new pg.Client(connectionOptions(server));
  await client.connect();
  const { rows } = await client
    .query<{ host: string; port: number }>(
      "select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by 2",
    )
    .finally(() => client.end());
  const workers = rows.map(({ host, port }) => {
    const url = new URL(server);
    url.hostname = host;
    url.port = String(port);
    return url.href;
  });
  return [server, ...workers];
}

/** A new database on the server of an address, empty or a copy of `template`; `remove` drops it, also while it is in use. */
export async function makeDatabase(
  server: string,
  template?: string,
): Promise<{ name: string; url: string; remove: () => Promise<void> }> {
  const name = `kutip_test_${randomBytes(6).toString("hex")}`;
  const servers = await serversOf(server);
  for (const one of servers)
    await run(one, `create database ${name}${template ? ` template ${template}` : ""}`);
  const url = databaseOn(server, name);
  if (servers.length > 1) await prepareCluster(servers, name, template !== undefined);
  return {
    name,
    url,
    remove: async () => {
      for (const one of servers) await run(one, `drop database ${name} with (force)`);
    },
  };
}

/** A copy has the nodes of its template, but not its settings. */
async function prepareCluster(servers: readonly string[], name: string, isCopy: boolean) {
  for (const one of servers)
    await run(one, `alter database ${name} set citus.enable_unsafe_triggers = on`);
  if (isCopy) return;
  for (const one of servers) await run(databaseOn(one, name), "create extension citus");
  const [coordinator = "", ...workers] = servers;
  const add = (what: string, address: string) => {
    const { hostname, port } = new URL(address);
    return `select ${what}('${hostname}', ${port})`;
  };
  await run(
    databaseOn(coordinator, name),
    add("citus_set_coordinator_host", coordinator),
    ...workers.map((worker) => add("citus_add_node", worker)),
  );
}

/** Ends every connection to a database for good, so that it can be copied: Citus keeps one for itself. */
export async function closeForCopies(server: string, name: string): Promise<void> {
  for (const one of await serversOf(server))
    await run(
      one,
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
    );
}
