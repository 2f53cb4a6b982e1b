import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { placesIn } from "@/db/embedded/folder";
import { isRestoreUnfinished, markRestore } from "@/db/unfinished-restore";
import { env, givenTexts, provideEnv } from "@/lib/env";
import { backup, restore } from "@/lib/operator/backup";
import { completeInstall } from "@/lib/supervisor/install";
import { hasDebianPostgres, startDebianPostgres } from "./debian-postgres";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const suite = givenTexts(["DATABASE_URL", "DATABASE_DIRECT_URL", "KUTIP_DATA_DIR", "KUTIP_SECRET"]);
const work = mkdtempSync(path.join(os.tmpdir(), "kutip-logical-restore-"));
const file = path.join(work, "backup");
let server: ReturnType<typeof startDebianPostgres>;

async function query(text: string, url = env.DATABASE_URL): Promise<unknown[]> {
  const client = new pg.Client(connectionOptions(url));
  await client.connect();
  return client
    .query(text)
    .then(({ rows }) => rows as unknown[])
    .finally(() => client.end());
}

const on = (database: string, user = "kutip") => {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  url.username = user;
  return url.href;
};

async function use(url: string): Promise<void> {
  provideEnv({ DATABASE_URL: url, DATABASE_DIRECT_URL: "" });
  await closePool();
}

const businesses = () => query("select name from businesses order by id");
const addBusiness = (name: string) =>
  query(
    `insert into businesses (name, signing_secret_test, signing_secret_live) values ('${name}', '', '')`,
  );

function silence(): void {
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
}

// The tests' own server is newer than Debian's programs, which dump no newer one.
const withDebian = test.skipIf(!hasDebianPostgres);

beforeAll(async () => {
  if (!hasDebianPostgres) return;
  // Another user runs Postgres in there.
  chmodSync(work, 0o711);
  server = startDebianPostgres(path.join(work, "fifteen"));
  provideEnv({ KUTIP_DATA_DIR: path.join(work, "unused") });
  await query("create database shop", server.url);
  await use(on("shop"));
  silence();
  await completeInstall(
    { places: placesIn(path.join(work, "unused")), embedded: false, startedHere: false },
    "upgrade",
  );
  await addBusiness("Backed up");
  await backup([file]);
});
beforeEach(async () => {
  if (!hasDebianPostgres) return;
  silence();
  await use(on("shop"));
  await query("delete from businesses where name = 'Later'");
  await addBusiness("Later");
});
afterAll(async () => {
  provideEnv(suite);
  await closePool();
  server?.stop();
  rmSync(work, { recursive: true, force: true });
});

withDebian("a forced restore with another secret leaves what the database holds", async () => {
  provideEnv({ KUTIP_SECRET: "another".repeat(6) });
  try {
    await expect(restore([file, "--force"])).rejects.toThrow(/another KUTIP_SECRET/);
  } finally {
    provideEnv({ KUTIP_SECRET: suite.KUTIP_SECRET ?? "" });
  }
  expect(await businesses()).toEqual([{ name: "Backed up" }, { name: "Later" }]);
});

withDebian(
  "a forced restore of another program's dump leaves what the database holds",
  async () => {
    await query("create database other", server.url);
    await query("create table notes (id int)", on("other"));
    const other = path.join(work, "other");
    const { status } = spawnSync("pg_dump", [`--dbname=${on("other")}`, "-Fc", `--file=${other}`]);
    expect(status).toBe(0);
    await expect(restore([other, "--force"])).rejects.toThrow(/no backup of Kutip/);
    expect(await businesses()).toEqual([{ name: "Backed up" }, { name: "Later" }]);
  },
);

withDebian("a database with a table of another program is not replaced", async () => {
  await query("create table branches (id int)");
  try {
    await expect(restore([file, "--force"])).rejects.toThrow(
      /tables that the file lacks \(public\.branches\).*dropdb, createdb/,
    );
  } finally {
    await query("drop table branches");
  }
  expect(await businesses()).toEqual([{ name: "Backed up" }, { name: "Later" }]);
});

const shape = () =>
  query(`select oid::regclass::text as name, relkind, relispartition from pg_class
      where relnamespace in (select oid from pg_namespace where nspname in ('public', 'drizzle', 'simulator'))
    union all select tgname, 't', tgrelid = 0 from pg_trigger where not tgisinternal
    union all select oid::regprocedure::text, 'f', false from pg_proc where pronamespace = 'public'::regnamespace
    union all select typname, typtype, false from pg_type where typtype = 'e' order by 1, 2, 3`);

withDebian("a forced restore replaces what later migrations and others have made", async () => {
  const before = await shape();
  await query(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 1);
    create type mood as enum ('good'); create function later(mood) returns int language sql as 'select 1';
    create view names as select name, later('good') from businesses; alter table businesses add later mood`);
  await restore([file, "--force"]);
  expect(await businesses()).toEqual([{ name: "Backed up" }]);
  expect(await shape()).toEqual(before);
  expect(await query("select 1 from drizzle.__drizzle_migrations where hash = 'later'")).toEqual(
    [],
  );
  expect(await isRestoreUnfinished()).toBe(false);
});

withDebian("a forced restore after one that was killed lets the install go on", async () => {
  await markRestore();
  await restore([file, "--force"]);
  expect(await isRestoreUnfinished()).toBe(false);
  expect(await businesses()).toEqual([{ name: "Backed up" }]);
});

withDebian(
  "a forced restore of a file that ends early leaves what the database holds",
  async () => {
    const short = path.join(work, "short");
    copyFileSync(file, short);
    truncateSync(short, statSync(file).size - 20);
    await expect(restore([short, "--force"])).rejects.toThrow(/pg_restore failed.*end of file/s);
    expect(await businesses()).toEqual([{ name: "Backed up" }, { name: "Later" }]);
    expect(await isRestoreUnfinished()).toBe(false);
  },
);

withDebian("a forced restore that the server refuses leaves what the database holds", async () => {
  await query("create publication later for table businesses");
  const published = path.join(work, "published");
  await backup([published]);
  try {
    await expect(restore([published, "--force"])).rejects.toThrow(/psql failed.*later/s);
  } finally {
    await query("drop publication later");
  }
  expect(await businesses()).toEqual([{ name: "Backed up" }, { name: "Later" }]);
  expect(await isRestoreUnfinished()).toBe(false);
});

withDebian(
  "a role restores into a database with extensions that a superuser has made, and replaces its content",
  async () => {
    await query("create role plain login", server.url);
    await query("create database moved owner plain", server.url);
    await query("create extension pg_trgm; create extension btree_gin", on("moved"));
    await use(on("moved", "plain"));
    await restore([file]);
    expect(await businesses()).toEqual([{ name: "Backed up" }]);
    await addBusiness("Later");
    await restore([file, "--force"]);
    expect(await businesses()).toEqual([{ name: "Backed up" }]);
  },
);
