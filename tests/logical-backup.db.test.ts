import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { activateSecret } from "@/db/active-secret";
import { closePool, db, openDatabase } from "@/db/client";
import { connectClient } from "@/db/connection";
import { placesIn } from "@/db/embedded/folder";
import { readableAfterRestore } from "@/db/events-order";
import { preparePartitions } from "@/db/partitions";
import { writeProcess } from "@/db/processes";
import { installId, noteRestoreOn, readPaymentSearch } from "@/db/settings";
import { tablesOf } from "@/db/transfer/catalog";
import { isRestoreUnfinished } from "@/db/unfinished-restore";
import { childEnv, env, givenTexts, provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { checkOf, knownKeys } from "@/lib/kernel/secrets";
import { version } from "@/lib/kernel/version";
import { backupRestored } from "@/lib/operator/backups";
import { logicalBackup, logicalRestore } from "@/lib/operator/logical";
import { joinInstall } from "@/lib/supervisor/entry";
import { completeInstall } from "@/lib/supervisor/install";
import { secretOfCopy } from "@/lib/supervisor/secret";
import { ownDatabaseEach } from "./own-database";

vi.mock(import("@/db/events-order"), { spy: true });
vi.mock(import("@/db/partitions"), { spy: true });
vi.mock(import("@/db/settings"), { spy: true });
vi.mock(import("@/lib/supervisor/secret"), { spy: true });

const work = mkdtempSync(path.join(os.tmpdir(), "kutip-logical-"));
const fails = path.join(work, "fails");
let own = givenTexts(["DATABASE_URL", "DATABASE_DIRECT_URL"]);
let database = "";

// Takes the place of Postgres' own programs, and writes what it was given. Of a file it says what is in there. It fails where the file `fails` is, a dump with half of it written.
const program = `#!/bin/sh
[ "$1" = --version ] && echo "(PostgreSQL) 99.0" && exit
for last; do :; done
case "$1" in --list | --data-only) exec cat "$last" ;; esac
printf '%s\\n' "$@" "PGPASSWORD=$PGPASSWORD" "PGOPTIONS=$PGOPTIONS" > ${path.join(work, "given")}
case "$*" in *--quiet*) exec cat > ${path.join(work, "script")} ;; esac
for one in "$@"; do case $one in --file=-) echo "half;" ;; --file=*) printf half > "\${one#--file=}" ;; esac; done
[ ! -e ${fails} ]
`;

ownDatabaseEach();
beforeEach(() => {
  own = givenTexts(["DATABASE_URL", "DATABASE_DIRECT_URL"]);
  database = own.DATABASE_DIRECT_URL || own.DATABASE_URL || "";
  rmSync(path.join(work, "given"), { force: true });
  rmSync(fails, { force: true });
});
beforeAll(() => {
  for (const name of ["pg_dump", "pg_restore", "psql"]) {
    writeFileSync(path.join(work, name), program);
    chmodSync(path.join(work, name), 0o755);
  }
  vi.stubEnv("PATH", `${work}:${childEnv().PATH}`);
});
afterEach(() => {
  openDatabase();
  provideEnv(own);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await closePool();
  rmSync(work, { recursive: true, force: true });
});

async function given(direct: string): Promise<string[]> {
  provideEnv({ DATABASE_DIRECT_URL: direct });
  await logicalBackup(path.join(work, "backup"));
  return readFileSync(path.join(work, "given"), "utf8").trim().split("\n");
}

test("pg_dump goes to the server itself, and a store that stalls does not end its connection", async () => {
  const direct = new URL(database);
  direct.searchParams.set("application_name", "direct");
  const [address, ...more] = await given(direct.href);
  expect(address).toBe(`--dbname=${direct.href}`);
  expect(more.at(-1)).toBe("PGOPTIONS=-c tcp_user_timeout=0");
});

test("a password anywhere in the address reaches pg_dump in its environment alone", async () => {
  const direct = new URL(database);
  direct.searchParams.set("password", "hush/hush");
  const all = await given(direct.href);
  expect(all.filter((one) => one.includes("hush"))).toEqual(["PGPASSWORD=hush/hush"]);
});

test.each(["localhost:5432", "[::1]:5432", "localhost:5432,localhost:5433"])(
  "pg_dump goes to the port of an address without a user before its hosts: %s",
  async (hosts) => {
    const { searchParams, pathname } = new URL(database);
    const address = `postgres://${hosts}${pathname}?host=${searchParams.get("host")}&user=kutip`;
    const [first, ...more] = await given(`${address}&password=hush`);
    expect(first).toBe(`--dbname=${address}`);
    expect(more.filter((one) => one.includes("hush"))).toEqual(["PGPASSWORD=hush"]);
  },
);

test("of several hosts pg_dump takes the one that takes writes", async () => {
  const { searchParams, pathname } = new URL(database);
  const several = `postgres://kutip@localhost${pathname}?host=/nowhere,${searchParams.get("host")}`;
  const [address] = await given(several);
  expect(address).toBe(`--dbname=${several}&target_session_attrs=read-write`);
});

test("without an address of the server itself a backup is refused, and names the setting", async () => {
  provideEnv({ DATABASE_URL: "postgres://kutip@pooler:6432/kutip?pgbouncer=true" });
  await expect(given("")).rejects.toThrow(/PgBouncer: set DATABASE_DIRECT_URL/);
});

test("a restore is noted as soon as pg_restore is done, and what follows has no time limit", async () => {
  let limit: unknown;
  vi.mocked(readableAfterRestore).mockImplementationOnce(async (client) => {
    limit = (await client.query("show statement_timeout")).rows;
    throw new Error("the server is gone");
  });
  await expect(restored()).rejects.toThrow("the server is gone");
  expect(limit).toEqual([{ statement_timeout: "0" }]);
  expect(await readPaymentSearch()).toBeDefined();
});

test("an install is completed with the limits of long work, as its months may take minutes to make", async () => {
  let limit: unknown;
  vi.mocked(preparePartitions).mockImplementationOnce(async () => {
    limit = (await db.execute(sql`show statement_timeout`)).rows;
  });
  await complete();
  expect(limit).toEqual([{ statement_timeout: "24min" }]);
});

test("a dump that fails keeps the file that was there, and leaves no half one", async () => {
  const file = path.join(work, "kept");
  writeFileSync(file, "the last good one", { mode: 0o644 });
  writeFileSync(fails, "");
  await expect(logicalBackup(file)).rejects.toThrow(/pg_dump failed/);
  expect(readFileSync(file, "utf8")).toBe("the last good one");
  expect(readdirSync(work).filter((name) => name.endsWith(".part"))).toEqual([]);
  rmSync(fails);
  await logicalBackup(file);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["half", 0o600]);
});

test("a dump during which another secret became active is refused and leaves no file", async () => {
  await complete();
  const first = env.KUTIP_SECRET ?? "";
  vi.mocked(secretOfCopy).mockImplementationOnce(async () => {
    provideEnv({ KUTIP_SECRET: "x".repeat(32), KUTIP_SECRET_PREVIOUS: first });
    const [to, from] = knownKeys();
    await activateSecret(from ?? to, to, async () => undefined);
    return first;
  });
  const file = path.join(work, "rotated");
  try {
    await expect(logicalBackup(file)).rejects.toThrow(/secret was replaced/);
  } finally {
    provideEnv({ KUTIP_SECRET: first, KUTIP_SECRET_PREVIOUS: "" });
  }
  expect(readdirSync(work).filter((name) => name.startsWith("rotated"))).toEqual([]);
});

test("a restored copy gets an id of its own for its backups, and a database that another tool put back keeps its id", async () => {
  await complete();
  const first = await installId();
  await restored();
  const second = await installId();
  expect(second).not.toBe(first);
  const said = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await backupRestored([]);
  said.mockRestore();
  expect(await installId()).toBe(second);
});

const complete = () =>
  completeInstall({
    places: placesIn(path.join(work, "none")),
    embedded: false,
    startedHere: false,
  });

type Contents = { tables: string[]; settings: Record<string, string> };

/** A file of what pg_restore says of a dump: by default of one that was made of this database. */
async function dumped(change: (contents: Contents) => void = () => undefined): Promise<string> {
  const client = await connectClient();
  const contents: Contents = {
    tables: ["drizzle.__drizzle_migrations", ...(await tablesOf(client)).map(({ table }) => table)],
    settings: { oldest_writer: version, secret_check: checkOf(knownKeys()[0]) },
  };
  await client.end();
  change(contents);
  const file = path.join(work, "dumped");
  const entries = contents.tables
    .map((table) => table.replace(".", " "))
    .flatMap((table) => [`7; 1259 7 TABLE ${table} kutip`, `7; 0 7 TABLE DATA ${table} kutip`]);
  const script = [
    "COPY public.settings (key, value) FROM stdin;",
    ...Object.entries(contents.settings).map((row) => row.join("\t")),
    "\\.",
  ];
  writeFileSync(file, [...entries, ...script].join("\n"));
  return file;
}

const restored = async (file = dumped()) =>
  logicalRestore(await file, true, placesIn(path.join(work, "none")));

test.each<[string, (contents: Contents) => void, RegExp]>([
  [
    "of another secret",
    ({ settings }) => Object.assign(settings, { secret_check: "another" }),
    /another KUTIP_SECRET/,
  ],
  [
    "amid a rotation",
    ({ settings }) => Object.assign(settings, { secret_rotation: '{"from":"one","to":"other"}' }),
    /KUTIP_SECRET_PREVIOUS/,
  ],
  [
    "of a newer version",
    ({ settings }) => Object.assign(settings, { oldest_writer: "99.0.0" }),
    /takes writes from Kutip 99\.0\.0 on/,
  ],
  [
    "of another program",
    (contents) => Object.assign(contents, { tables: ["public.notes"] }),
    /no backup of Kutip/,
  ],
  [
    "without a table of the database",
    (contents) =>
      Object.assign(contents, {
        tables: contents.tables.filter((table) => table !== "public.businesses"),
      }),
    /tables that the file lacks \(public\.businesses\).*dropdb, createdb/,
  ],
])("a forced restore of a file %s is refused before anything changes", async (_, change, why) => {
  await complete();
  await expect(restored(dumped(change))).rejects.toThrow(why);
  expect(existsSync(path.join(work, "given"))).toBe(false);
  expect(await isRestoreUnfinished()).toBe(false);
});

test("a forced restore is committed once pg_restore has written all, and not where it failed", async () => {
  await complete();
  const sent = () => readFileSync(path.join(work, "script"), "utf8");
  writeFileSync(fails, "");
  await expect(restored()).rejects.toThrow(/pg_restore failed/);
  expect(sent()).toMatch(/^begin;.*half;\n$/s);
  rmSync(fails);
  await restored();
  expect(sent()).toMatch(/^begin;.*half;\ncommit;\n$/s);
});

test("a restore beside a live process is refused, and names it", async () => {
  const other = { kind: "web", pid: 4711, host: "far-away", sealsWith: "" } as const;
  await writeProcess(db, { ...other, id: newId(), keys: [] });
  await expect(restored()).rejects.toThrow(/web process 4711 on far-away/);
  expect(existsSync(path.join(work, "given"))).toBe(false);
  await complete();
  await db.execute(sql`update processes set seen_at = now() - interval '21 seconds'`);
  await restored();
  expect(existsSync(path.join(work, "given"))).toBe(true);
});

test("a restore into a database that was made anew below a live process is refused until that has ended", async () => {
  const from = await dumped();
  const name = new URL(database).pathname.slice(1);
  await closePool();
  const server = await connectClient(database.replace(`/${name}`, "/postgres"));
  await server.query(`drop database ${name} with (force)`);
  await server.query(`create database ${name}`);
  await server.end();
  const into = () => logicalRestore(from, false, placesIn(path.join(work, "none")));
  const worker = await connectClient(database, {
    application_name: "kutip pool request (worker)",
  });
  await worker.query("select 1");
  await expect(into()).rejects.toThrow(/other processes.*\nworker process/s);
  expect(existsSync(path.join(work, "given"))).toBe(false);
  await worker.end();
  // The program of this file makes no tables, so the note fails after it.
  await expect(into()).rejects.toThrow(/settings|workers/);
  expect(existsSync(path.join(work, "given"))).toBe(true);
});

test("backup:restored beside a live process is refused, and --since names the moment that its work hides", async () => {
  await complete();
  const other = { kind: "worker", pid: 4711, host: "far-away", sealsWith: "" } as const;
  await writeProcess(db, { ...other, id: newId(), keys: [] });
  await expect(backupRestored([])).rejects.toThrow(/--since.*\nworker process 4711 on far-away/s);
  expect(await readPaymentSearch()).toBeUndefined();
  await db.execute(sql`update processes set seen_at = now() - interval '21 seconds'`);
  await db.execute(sql`insert into workers (id, pid) values ('that has run', 4711)`);
  for (const [wrong, refusal] of [
    ["2026-02-30T03:04:05Z", /such as 2026-11-25T10:15:00Z/],
    ["2026-02-03 03:04:05", /such as 2026-11-25T10:15:00Z/],
    ["2999-02-03T03:04:05Z", /in the future/],
  ] as const)
    await expect(backupRestored(["--since", wrong])).rejects.toThrow(refusal);
  expect(await readPaymentSearch()).toBeUndefined();
  const said = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await backupRestored(["--since", "2026-02-03T03:04:05+01:00"]);
  said.mockRestore();
  expect(await readPaymentSearch()).toMatchObject({ since: "2026-02-03T02:04:05.000Z" });
});

test("no process starts on a restored database before its restore is noted, and a repeated restore lets it", async () => {
  await complete();
  vi.mocked(noteRestoreOn).mockRejectedValueOnce(new Error("killed"));
  await expect(restored()).rejects.toThrow("killed");
  const refusal = { name: "Refusal", message: expect.stringMatching(/restore FILE --force/) };
  await expect(joinInstall("web")).rejects.toMatchObject(refusal);
  openDatabase();
  await expect(complete()).rejects.toMatchObject(refusal);
  writeFileSync(fails, "");
  await expect(restored()).rejects.toThrow(/pg_restore failed/);
  await expect(complete()).rejects.toMatchObject(refusal);
  rmSync(fails);
  await restored();
  expect(await readPaymentSearch()).toBeDefined();
  await complete();
});

test("a restore that was killed is noted by backup:restored, and one that replaced nothing keeps no process out", async () => {
  await complete();
  writeFileSync(fails, "");
  await expect(restored()).rejects.toThrow(/pg_restore failed/);
  await complete();
  expect(await readPaymentSearch()).toBeUndefined();
  rmSync(fails);
  vi.mocked(noteRestoreOn).mockRejectedValueOnce(new Error("killed"));
  await expect(restored()).rejects.toThrow("killed");
  const said = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await backupRestored([]);
  expect(String(said.mock.calls)).toContain("the worker searches the gateways");
  said.mockRestore();
  expect(await readPaymentSearch()).toBeDefined();
  await complete();
});
