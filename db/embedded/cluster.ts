import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type Account, accountFor } from "./account";
import { runTool } from "./binaries";
import { prepareFolder, placesIn, socketFolder } from "./folder";
import { postmasterOf, processesIn } from "./postmaster";
import { Refusal } from "./refusal";

export const POSTGRES_MAJOR = "18";

/** How data of another major version of Postgres gets into this one, for messages. */
export const howToMove = (major: string): string =>
  `with the Kutip that brings Postgres ${major} run npm run -s kutip -- export FILE. Then with this one run npm run -s kutip -- import FILE into a new data folder (KUTIP_DATA_DIR). See docs/upgrading.md`;

/** A running embedded server: where to connect, and whether this call started it. */
export type Cluster = { url: string; socketDir: string; started: boolean };
type Options = { settings?: Record<string, string> };

const MAX_STARTS = 3;

const defaults = {
  listen_addresses: "",
  max_connections: "100",
  shared_buffers: "256MB",
  random_page_cost: "1.1",
  jit: "off",
  // A table that was empty a moment ago is planned for as it is now, not as it was.
  autovacuum_naptime: "20s",
  timezone: "UTC",
  log_timezone: "UTC",
  // Row values appear in the details of errors and have no place in a log.
  log_error_verbosity: "terse",
  logging_collector: "on",
  log_filename: "postgres-%a.log",
  log_rotation_age: "1d",
  log_rotation_size: "0",
  log_truncate_on_rotation: "on",
};

/** Starts Postgres on a data folder and creates the database if needed, or adopts the server that runs there. */
export async function startCluster(folder: string, options: Options = {}): Promise<Cluster> {
  const account = accountFor(placesIn(folder).cluster);
  const places = prepareFolder(folder, account);
  initialise(places.cluster, account);
  for (let attempt = 1; attempt <= MAX_STARTS; attempt++) {
    const last = attempt === MAX_STARTS;
    const started = await launch(folder, account, options, last);
    const found = postmasterOf(places.cluster);
    if (found.state === "alive" && (await makeDatabase(found.socketDir, last))) {
      return { socketDir: found.socketDir, url: urlFor(found.socketDir), started };
    }
    // A command that had started the server is stopping it: start it again.
    await pause(500);
  }
  throw new Refusal(
    `Postgres on ${places.cluster} ends as soon as it has started (its logs are in ${places.log})`,
  );
}

/** Stops the server of a data folder: connections are ended, everything committed is on disk. Nothing happens when none runs. */
export function stopCluster(folder: string): void {
  const { cluster } = placesIn(folder);
  if (postmasterOf(cluster).state !== "alive") return;
  const result = runTool(
    "pg_ctl",
    ["-D", cluster, "-m", "fast", "-w", "-t", "60", "stop"],
    accountFor(cluster),
  );
  if (result.code !== 0 && postmasterOf(cluster).state === "alive")
    throw new Error(`Postgres did not stop: ${result.output}`);
}

/** The address of a server behind that socket. */
export function urlFor(socketDir: string): string {
  return `postgres://kutip@localhost/kutip?host=${encodeURIComponent(socketDir)}`;
}

function initialise(cluster: string, account: Account): void {
  if (existsSync(path.join(cluster, "PG_VERSION"))) {
    const version = readFileSync(path.join(cluster, "PG_VERSION"), "utf8").trim();
    if (version === POSTGRES_MAJOR) return;
    throw new Refusal(
      `${cluster} was made by Postgres ${version}, this Kutip brings ${POSTGRES_MAJOR}: ${howToMove(version)}`,
    );
  }
  // Made beside and moved into place, so that an interrupted start leaves nothing half made. The log folder is the one Postgres may write to.
  const half = path.join(path.dirname(cluster), "log", `new-${process.pid}`);
  rmSync(half, { recursive: true, force: true });
  const auth = ["--auth-local=trust", "--auth-host=reject"];
  const locale = [
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
  ];
  const result = runTool(
    "initdb",
    ["-D", half, "-U", "kutip", ...auth, ...locale, "--data-checksums"],
    account,
  );
  if (result.code !== 0) {
    rmSync(half, { recursive: true, force: true });
    throw new Refusal(`Postgres could not make a database in ${cluster}: ${reason(result.output)}`);
  }
  try {
    renameSync(half, cluster);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    if (!existsSync(path.join(cluster, "PG_VERSION"))) throw error;
  }
}

async function launch(
  folder: string,
  account: Account,
  options: Options,
  last: boolean,
): Promise<boolean> {
  const { cluster, log } = placesIn(folder);
  if (await adopted(cluster)) return false;
  const socketDir = socketFolder(folder, account);
  const settings = {
    ...defaults,
    unix_socket_directories: socketDir,
    log_directory: log,
    ...options.settings,
  };
  const list = Object.entries(settings).map(
    ([name, value]) => `-c ${name}='${value.replaceAll("'", "'\\''")}'`,
  );
  const startLog = path.join(log, "start.log");
  rmSync(startLog, { force: true });
  const result = runTool(
    "pg_ctl",
    ["-D", cluster, "-l", startLog, "-w", "-t", "300", "-o", list.join(" "), "start"],
    account,
  );
  if (result.code === 0) return true;
  if ((await adopted(cluster)) || !last) return false;
  throw new Refusal(
    `Postgres does not start on ${cluster}: ${reason(newestLog(log) || result.output)} (its logs are in ${log})`,
  );
}

function newestLog(folder: string): string {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".log"))
    .map((name) => path.join(folder, name));
  const newest = files.sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs).at(-1);
  return newest ? readFileSync(newest, "utf8").slice(-4000) : "";
}

// The last line of each kind names the cause; a full disk comes first.
function reason(output: string): string {
  if (/No space left on device/.test(output))
    return "there is no room left on the disk: make some, or set KUTIP_DATA_DIR to another disk";
  const line =
    output.split("\n").findLast((one) => /FATAL|PANIC|error|could not/.test(one)) ??
    output.slice(-500);
  return line.replace(/^.*?(FATAL|PANIC|initdb: error|pg_ctl): */, "").trim();
}

async function adopted(cluster: string): Promise<boolean> {
  for (let waited = 0; ; waited++) {
    const found = postmasterOf(cluster);
    if (found.state === "none") return false;
    if (found.state === "dead") {
      await clearUp(cluster, found.socketDir);
      return false;
    }
    if (found.ready || waited > 1200) return true;
    await pause(100);
  }
}

// Removes what a killed server left behind, which a new one would take for alive where process 1 does not reap.
async function clearUp(cluster: string, socketDir: string): Promise<void> {
  for (let i = 0; i < 300 && processesIn(cluster) > 0; i++) await pause(100);
  if (processesIn(cluster) > 0)
    throw new Refusal(
      `processes of an earlier Postgres still use ${cluster}: end them and start again`,
    );
  for (const name of [".s.PGSQL.5432", ".s.PGSQL.5432.lock"])
    if (socketDir) rmSync(path.join(socketDir, name), { force: true });
  rmSync(path.join(cluster, "postmaster.pid"), { force: true });
}

async function makeDatabase(socketDir: string, last: boolean): Promise<boolean> {
  const client = new pg.Client({
    host: socketDir,
    user: "kutip",
    database: "postgres",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query("select from pg_database where datname = 'kutip'");
    if (rowCount === 0) await client.query("create database kutip");
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "42P04") return true;
    if (last) throw error;
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
