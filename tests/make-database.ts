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

/** A new database on the server of an address, empty or a copy of `template`; `remove` drops it, also while it is in use. */
export async function makeDatabase(
  server: string,
  template?: string,
): Promise<{ name: string; url: string; remove: () => Promise<void> }> {
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client(connectionOptions(server));
    await client.connect();
    // A copy of the template may take long on a busy machine.
    await client
      .query("set statement_timeout = 0")
      .then(() => client.query(statement))
      .finally(() => client.end());
  };
  const name = `kutip_test_${randomBytes(6).toString("hex")}`;
  await run(`create database ${name}${template ? ` template ${template}` : ""}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { name, url: url.href, remove: () => run(`drop database ${name} with (force)`) };
}
