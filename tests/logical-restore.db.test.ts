import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { placesIn } from "@/db/embedded/folder";
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

withDebian("a database with a newer table is not replaced by an older backup", async () => {
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

withDebian(
  "a role restores into a database with extensions that a superuser has made",
  async () => {
    await query("create role plain login", server.url);
    await query("create database moved owner plain", server.url);
    await query("create extension pg_trgm; create extension btree_gin", on("moved"));
    await use(on("moved", "plain"));
    await restore([file]);
    expect(await businesses()).toEqual([{ name: "Backed up" }]);
  },
);
