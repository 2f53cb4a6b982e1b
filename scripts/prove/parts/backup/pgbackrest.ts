import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { type Account, accountFor } from "@/db/embedded/account";
import { freePort } from "../service";
import { run, succeed } from "./command";

/** Debian's programs for a recovery to a moment, and their packages. */
export const NEEDS = [
  { program: "pgbackrest", package: "pgbackrest" },
  { program: "../lib/postgresql/15/bin/postgres", package: "postgresql-15" },
];
const BIN = "/usr/lib/postgresql/15/bin";
const DOCUMENT = "docs/operations/backups.md";

/** A Postgres server of Debian. pgBackRest keeps its files and changes. */
export type Server = {
  url: string;
  start: () => Promise<void>;
  stop: () => Promise<void>;
  /** Ends it at once, with nothing archived first. */
  kill: () => Promise<void>;
  /** Runs a command of pgBackRest from the page for operators. `moment` replaces the one of the example. */
  backrest: (command: BackrestCommand, moment?: string) => Promise<string>;
  /** Another server, with what the options of `restore` bring from the same repository. It keeps nothing there. */
  restored: (name: string, options: readonly string[]) => Promise<Server>;
};
type BackrestCommand = "stanza-create" | "check" | "backup" | "restore";

/** The line of the operator's page with this command of pgBackRest, without its `sudo`. */
export function documented(command: BackrestCommand): string[] {
  const [, words] =
    new RegExp(`^ *sudo -u postgres (pgbackrest .*\\b${command})$`, "m").exec(
      readFileSync(DOCUMENT, "utf8"),
    ) ?? [];
  if (!words) throw new Error(`${DOCUMENT} has no command ${command}`);
  // Words in quotes may have spaces.
  return [...words.matchAll(/(?:"[^"]*"|\S)+/g)].map(([word]) => word.replaceAll('"', ""));
}

/** The operator's configuration, with places and a passphrase of the drill's own. */
export function backrestConfig(
  text: string,
  { data, repository, passphrase }: { data: string; repository: string; passphrase: string },
): string {
  return text
    .replace("/var/lib/pgbackrest", repository)
    .replace("/var/lib/postgresql/15/main", data)
    .replace("PASSPHRASE", passphrase);
}

/** Makes and starts a server below `folder`, which archives by the operator's files. */
export async function startServer(folder: string, passphrase: string): Promise<Server> {
  const account = accountFor("/nonexistent");
  const repository = path.join(folder, "repository");
  for (const name of ["", "repository", "log", "lock"]) ownFolder(path.join(folder, name), account);
  const server = await serverAt(folder, "main", account, repository, passphrase);
  await succeed(
    [`${BIN}/initdb`, "-D", server.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "-k"],
    server.as,
  );
  const settings = path.join(server.data, "postgresql.conf");
  writeFileSync(settings, readFileSync("deploy/pgbackrest/archiving.conf"), { flag: "a" });
  await server.start();
  await succeed(["psql", ...server.psql, "-c", "create role kutip login"], server.as);
  await succeed(["psql", ...server.psql, "-c", "create database kutip owner kutip"], server.as);
  return server;
}

type Own = Server & {
  data: string;
  psql: string[];
  as: { uid?: number; gid?: number; cwd: string; env: Record<string, string> };
};

async function serverAt(
  folder: string,
  name: string,
  account: Account,
  repository: string,
  passphrase: string,
  settings: readonly string[] = [],
): Promise<Own> {
  const home = path.join(folder, name);
  ownFolder(home, account);
  const data = path.join(home, "data");
  const config = path.join(home, "pgbackrest.conf");
  const port = await freePort();
  const text = readFileSync("deploy/pgbackrest/pgbackrest.conf", "utf8");
  writeFileSync(
    config,
    `${backrestConfig(text, { data, repository, passphrase })}pg1-port=${port}\npg1-socket-path=${home}\npg1-user=postgres\n`,
    { mode: 0o600 },
  );
  own(config, account);
  // pgBackRest takes options from the environment too; Postgres passes it on to the commands of archiving.
  const env = {
    PGBACKREST_CONFIG: config,
    PGBACKREST_LOCK_PATH: path.join(folder, "lock"),
    PGBACKREST_LOG_PATH: path.join(folder, "log"),
  };
  const as = { ...account, cwd: home, env };
  const control = (...words: string[]) =>
    succeed([`${BIN}/pg_ctl`, "-D", data, "-w", "-t", "120", ...words], as);
  // It may have stopped before.
  const stop = async (mode: "fast" | "immediate") =>
    void (await run([`${BIN}/pg_ctl`, "-D", data, "-m", mode, "stop"], as));
  const options = [
    `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${home}`,
    ...settings.map((one) => `-c ${one}`),
  ].join(" ");
  const url = `postgres://kutip@127.0.0.1:${port}/kutip`;
  const server: Own = {
    url,
    data,
    as,
    psql: ["-h", home, "-p", String(port), "-U", "postgres", "-q"],
    start: async () => {
      await control("-l", path.join(home, "postgres.log"), "-o", options, "start");
      await untilWritable(url);
    },
    stop: () => stop("fast"),
    kill: () => stop("immediate"),
    backrest: (command, moment) =>
      succeed(
        documented(command).map((word) =>
          moment === undefined ? word : word.replace(/^--target=.*/, `--target=${moment}`),
        ),
        as,
      ),
    restored: async (other, words) => {
      const made = await serverAt(folder, other, account, repository, passphrase, [
        "archive_mode=off",
      ]);
      ownFolder(made.data, account);
      await succeed(["pgbackrest", "--stanza=kutip", ...words, "restore"], made.as);
      return made;
    },
  };
  return server;
}

/** Waits until a recovery has reached its target, as far as the server takes connections. */
async function untilWritable(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url.replace("kutip@", "postgres@").replace(/kutip$/, "postgres"),
  });
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ waits: boolean }>(
        "select pg_is_in_recovery() as waits, pg_sleep(0.1)",
      );
      if (!rows[0]?.waits) return;
    }
  } finally {
    await client.end();
  }
}

function ownFolder(at: string, account: Account): void {
  mkdirSync(at, { recursive: true, mode: 0o700 });
  own(at, account);
}

function own(at: string, { uid, gid }: Account): void {
  if (uid !== undefined && gid !== undefined) chownSync(at, uid, gid);
}
