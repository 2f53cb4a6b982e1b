import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import pg from "pg";
import { NOT_RUN, requireMachine } from "../machine";

const SCRIPT = "deploy/citus/citus.sh";
const LIBRARY = "/usr/lib/postgresql/15/lib/citus.so";
const WORKERS = 2;
const SPARE = WORKERS + 1;

const POSTGRES = [
  { program: "../lib/postgresql/15/bin/postgres", package: "postgresql-15" },
  { program: "setpriv", package: "util-linux" },
];
/** Programs and headers that Citus is built with, and their packages. */
const BUILD = [
  { program: "../include/postgresql/15/server/postgres.h", package: "postgresql-server-dev-15" },
  { program: "gcc", package: "build-essential" },
  { program: "make", package: "build-essential" },
  { program: "flex", package: "flex" },
  { program: "bison", package: "bison" },
  { program: "../include/openssl/ssl.h", package: "libssl-dev" },
  { program: "../include/lz4.h", package: "liblz4-dev" },
  { program: "../include/zstd.h", package: "libzstd-dev" },
  { program: "../include/readline/readline.h", package: "libreadline-dev" },
  { program: "../include/libxslt/xslt.h", package: "libxslt1-dev" },
  { program: "../include/security/pam_appl.h", package: "libpam0g-dev" },
  { program: "../include/selinux/selinux.h", package: "libselinux1-dev" },
  { program: "../include/krb5.h", package: "libkrb5-dev" },
];

/** A coordinator with two workers, and an empty database on them. */
export type Cluster = {
  url: string;
  /** Starts one more server and tells the coordinator of it; `port` is the server's. */
  addWorker: () => Promise<{ host: string; port: number }>;
  stop: () => void;
};

/** Ends this process with 77 where no cluster can be had. Builds Citus from CITUS_SOURCE where Postgres has none. */
export function requireCitus(): void {
  if (process.env.CITUS_URL && process.env.CITUS_SPARE) return;
  if (process.env.CITUS_URL)
    refuse("CITUS_SPARE is not set: HOST:PORT of a server with Citus that is no worker yet");
  requireMachine(POSTGRES, { root: false });
  if (existsSync(LIBRARY)) return;
  const source = process.env.CITUS_SOURCE;
  if (!source)
    refuse(
      "neither CITUS_SOURCE is set, a git folder of citusdata/citus, nor CITUS_URL, an empty database of a cluster's coordinator",
    );
  requireMachine([...POSTGRES, ...BUILD], { root: true });
  console.log("  building Citus");
  if (run("build", source).status !== 0) refuse("Citus could not be built");
}

export async function startCluster(folder: string): Promise<Cluster> {
  const { CITUS_URL: given, CITUS_SPARE: spare = "" } = process.env;
  if (given) {
    const [host = "", port] = spare.split(":");
    return {
      url: given,
      addWorker: async () => addNode(given, { host, port: Number(port) }),
      stop: () => undefined,
    };
  }
  const port = await freePorts(SPARE + 1);
  const url = `postgres://kutip@127.0.0.1:${port}/kutip`;
  const stop = () => void run("down", folder);
  if (run("up", folder, String(port), String(WORKERS)).status !== 0) {
    stop();
    throw new Error("the cluster does not start");
  }
  return {
    url,
    addWorker: async () => {
      if (run("add", folder, String(port), String(SPARE)).status !== 0)
        throw new Error("the new worker does not start");
      return { host: "127.0.0.1", port: port + SPARE };
    },
    stop,
  };
}

/** Statements on the coordinator, without a limit of time. Returns the rows of the last one. */
export async function onCoordinator<T extends object>(
  url: string,
  ...statements: string[]
): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    let rows: T[] = [];
    for (const statement of statements) ({ rows } = await client.query<T>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

async function addNode(url: string, node: { host: string; port: number }) {
  await onCoordinator(url, `select citus_add_node('${node.host}', ${node.port})`);
  return node;
}

function refuse(text: string): never {
  console.error(`  NOT RUN  ${text}`);
  process.exit(NOT_RUN);
}

const run = (...args: string[]) =>
  spawnSync(SCRIPT, args, { stdio: ["ignore", "ignore", "inherit"] });

/** The first of so many ports in a row that are free now. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const ports = Array.from({ length: count }, (_, at) => first + at);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
      .on("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
