import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { endChild } from "./processes";
import { freePort } from "./service";

const NOBODY = 65_534;
const MIRROR = "http://deb.debian.org/debian";

/** A PgBouncer of the drill's own. */
export type Pooler = {
  /** Its address with the path of a database; `?pgbouncer=true` is not part of it. */
  url: (database: string) => string;
  /** The largest number of connections to the server that it may open for one database. */
  poolSize: number;
  stop: () => Promise<void>;
};

type Options = {
  /** Off leaves out `connect_query` and `server_login_retry`. */
  limits?: boolean;
  clients?: number;
  /** Put before the command, such as `ip netns exec web`. */
  enter?: readonly string[];
  /** Default: one that is free. */
  port?: number;
  /** Kutip's password at the server. The pooler itself asks for none. */
  password?: string;
};

/** Starts PgBouncer on the product's example of a configuration, for every database of a server. */
export async function startPooler(
  program: string,
  folder: string,
  server: string,
  { limits = true, clients = 1_000, enter = [], port: given, password = "" }: Options = {},
): Promise<Pooler> {
  mkdirSync(folder, { recursive: true });
  const port = given ?? (await freePort());
  const { hostname, port: serverPort } = new URL(server);
  const poolSize = 20;
  const config = readFileSync("deploy/proxies/pgbouncer.ini", "utf8")
    .replace(/^kutip = host=\S+ port=\S+ dbname=kutip/m, `* = host=${hostname} port=${serverPort}`)
    .replace(/ connect_query=.*$/m, limits ? "$&" : "")
    .replace(/^server_login_retry = .*$/m, limits ? "$&" : "")
    .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
    .replace(/^auth_type = .*$/m, "auth_type = trust")
    .replace(/^auth_file = .*$/m, `auth_file = ${path.join(folder, "users.txt")}`)
    .replace(/^default_pool_size = .*$/m, `default_pool_size = ${poolSize}`)
    .replace(/^max_client_conn = .*$/m, `max_client_conn = ${clients}`)
    .concat(
      "ignore_startup_parameters = options\nunix_socket_dir =\nserver_idle_timeout = 5\nlog_connections = 0\nlog_disconnections = 0\n",
    );
  writeFileSync(path.join(folder, "users.txt"), `"kutip" "${password}"\n`);
  writeFileSync(path.join(folder, "pgbouncer.ini"), config);
  for (const name of ["users.txt", "pgbouncer.ini"]) chmodSync(path.join(folder, name), 0o644);
  chmodSync(folder, 0o755);
  const who =
    process.getuid?.() === 0
      ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"]
      : [];
  const command = [...enter, ...who, program, "-q", path.join(folder, "pgbouncer.ini")];
  const child = spawn(command[0] ?? "", command.slice(1), {
    stdio: ["ignore", "ignore", "ignore"],
  });
  await untilListening(child, port);
  return {
    url: (database) => `postgres://kutip@127.0.0.1:${port}/${database}`,
    poolSize,
    stop: () => endChild(child, "SIGKILL"),
  };
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  const listens = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  // As the pooler sees it, which may be in a network of its own.
  const listening = () => {
    try {
      return readFileSync(`/proc/${child.pid}/net/tcp`, "utf8").includes(listens);
    } catch {
      return false;
    }
  };
  while (!listening()) {
    if (child.exitCode !== null) throw new Error("PgBouncer does not start");
    await pause(50);
  }
}

/** Builds PgBouncer from the source package of a newer Debian, all of it below `folder`; returns the program. */
export function buildPooler(folder: string, suite: string): string {
  for (const name of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, "status"), "");
  writeFileSync(
    path.join(folder, "sources.list"),
    `deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${MIRROR} ${suite} main\n`,
  );
  const settings = [
    `Dir::State=${folder}/state`,
    `Dir::State::status=${folder}/status`,
    `Dir::Cache=${folder}/cache`,
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    "Dir::Etc::sourceparts=-",
    "APT::Sandbox::User=root",
  ].flatMap((one) => ["-o", one]);
  const run = (program: string, args: string[], cwd = folder) => {
    const { status, stderr, stdout } = spawnSync(program, args, {
      cwd,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(`${program} ${args.at(-1)}: ${stderr || stdout}`);
  };
  run("apt-get", [...settings, "--quiet=2", "update"]);
  run("apt-get", [...settings, "--quiet=2", "source", "--download-only", "pgbouncer"]);
  const archive = readdirSync(folder).find((name) => name.endsWith(".orig.tar.gz")) ?? "";
  run("tar", ["xf", archive]);
  const tree = path.join(folder, archive.replace("_", "-").replace(".orig.tar.gz", ""));
  run("./configure", ["--quiet", "--without-cares"], tree);
  run("make", ["--silent", "pgbouncer"], tree);
  return path.join(tree, "pgbouncer");
}
