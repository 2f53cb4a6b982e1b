import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type pg from "pg";
import { connectClient, directUrl, hostsOf, isPooled } from "@/db/connection";
import { Refusal } from "@/db/embedded/refusal";
import { childEnv } from "@/lib/env";

const PASSWORD = "password=";

/** Throws a Refusal unless this machine has a client program of Postgres that is as new as the server. */
export async function requireProgram(program: "pg_dump" | "pg_restore" | "psql"): Promise<void> {
  if (isPooled())
    throw new Refusal(
      `${program} cannot work through PgBouncer: set DATABASE_DIRECT_URL to the server itself`,
    );
  const found = spawnSync(program, ["--version"], { encoding: "utf8" });
  const server = Math.floor(
    Number(
      (await queryOnce<{ v: string }>("select current_setting('server_version_num') as v"))?.v,
    ) / 10_000,
  );
  const install = `install the Postgres ${server} client programs (Debian: postgresql-client-${server})`;
  if (found.error || found.status !== 0)
    throw new Refusal(`${program} is not installed: ${install}`);
  const version = Number(/(\d+)(\.\d+)?/.exec(found.stdout)?.[1]);
  if (version < server)
    throw new Refusal(`${program} ${version} is older than the server (${server}): ${install}`);
}

/**
 * The argument and the environment that lead a client program to the server. These programs change their session, so they need one of their own.
 * Several hosts are tried in turn, and a standby is passed over.
 */
export function serverOfPrograms(): { dbname: string; env: NodeJS.ProcessEnv } {
  const url = directUrl() ?? "";
  // Not `new URL`, which cannot read an address with several hosts. Every user of the machine can read arguments, so the password travels in the environment.
  const [, scheme = "", user = "", password = "", place = "", query = ""] =
    /^(\w+:\/\/)(?:([^:@/?#]*)(?::([^/?#]*))?@)?([^?]*)\??(.*)$/s.exec(url) ?? [];
  const given = query.split("&").filter((one) => one !== "" && !one.startsWith("pgbouncer="));
  // As pg, which prefers this one.
  const hidden = given.find((one) => one.startsWith(PASSWORD))?.slice(PASSWORD.length) || password;
  const parameters = [
    ...given.filter((one) => !one.startsWith(PASSWORD)),
    ...(hostsOf(url).length > 1 ? ["target_session_attrs=read-write"] : []),
  ].join("&");
  const environment = childEnv();
  return {
    dbname: `--dbname=${scheme}${user && `${user}@`}${place}${parameters && `?${parameters}`}`,
    env: {
      ...environment,
      // As in SETTINGS of db/transfer/session.ts.
      PGOPTIONS: `${environment.PGOPTIONS ?? ""} -c tcp_user_timeout=0`.trim(),
      ...(hidden ? { PGPASSWORD: decodeURIComponent(hidden) } : {}),
    },
  };
}

/** Runs a client program of Postgres at the server. It ends when this process exits; a signal that nothing handles leaves it. */
export async function runProgram(program: "pg_dump" | "pg_restore", list: string[]): Promise<void> {
  const { dbname, env } = serverOfPrograms();
  const child = spawn(program, [dbname, ...list], { env, stdio: ["ignore", "ignore", "pipe"] });
  const end = () => void child.kill();
  process.once("exit", end);
  const failure = await failureOf(child, program);
  process.off("exit", end);
  if (failure !== undefined) throw new Refusal(failure);
}

/** What went wrong with a program, once it has ended and all that it wrote is read. */
export async function failureOf(
  child: ReturnType<typeof spawn>,
  name: string,
): Promise<string | undefined> {
  try {
    const [said, [code]] = await Promise.all([
      child.stderr ? text(child.stderr) : "",
      once(child, "close"),
    ]);
    return code === 0 ? undefined : `${name} failed: ${said.trim()}`;
  } catch (error) {
    return `${name} failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The first row of a statement on a connection of its own. */
export async function queryOnce<T extends pg.QueryResultRow>(
  statement: string,
): Promise<T | undefined> {
  const client = await connectClient();
  try {
    return (await client.query<T>(statement)).rows[0];
  } finally {
    await client.end();
  }
}
