import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { readableAfterRestore } from "@/db/events-order";
import { migrateDatabase, pendingMigrations } from "@/db/migrate";
import { dump } from "@/db/transfer/dump";
import { load } from "@/db/transfer/load";
import { headOf } from "@/db/transfer/parts";
import { env, provideEnv } from "@/lib/env";
import { readExport, writeExport } from "@/lib/backups/export-file";
import { migrate } from "@/lib/operator/migrate";
import { importInstall } from "@/lib/operator/transfer";
import { completeInstall } from "@/lib/supervisor/install";
import { hasDebianPostgres, startDebianPostgres } from "./debian-postgres";
import { ownDatabaseEach } from "./own-database";

vi.mock(import("@/db/events-order"), { spy: true });
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });

const first = gunzipSync(
  fs.readFileSync(path.join(import.meta.dirname, "upgrade/first-schema.sql.gz")),
).toString("utf8");
const secret = "upgrade-fixture-".repeat(3);
const work = fs.mkdtempSync(path.join(os.tmpdir(), "kutip-transfer-"));
const suite = { KUTIP_SECRET: env.KUTIP_SECRET ?? "", DATABASE_URL: env.DATABASE_URL ?? "" };
const PASSPHRASE = "correct horse battery";

async function query<Row extends pg.QueryResultRow>(
  text: string,
  url = env.DATABASE_URL,
): Promise<Row[]> {
  const client = new pg.Client(connectionOptions(url));
  await client.connect();
  return client
    .query<Row>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

// Each test begins beside an install with two months of trade, upgraded to this version.
ownDatabaseEach(() => query(first));
// Another user may run Postgres in there.
beforeAll(() => fs.chmodSync(work, 0o711));
beforeEach(async () => {
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  provideEnv({ KUTIP_SECRET: secret, KUTIP_DATA_DIR: path.join(work, "unused") });
  await completeInstall(
    { places: placesIn(path.join(work, "unused")), embedded: false, startedHere: false },
    "upgrade",
  );
});
afterAll(async () => {
  provideEnv(suite);
  await closePool();
  for (const name of made) await query(`drop database ${name} with (force)`);
  fs.rmSync(work, { recursive: true, force: true });
});

/** Each table as sorted lines. Transaction numbers and settings about the move itself belong to a server. Events have their places in lists. */
async function content(): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'simulator') and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const found: Record<string, string> = {};
  const place =
    "- 'seq' || jsonb_build_object('place', row_number() over (partition by business_id, mode order by xid, seq))";
  for (const { name } of tables) {
    const [row] = await query<{ sum: string | null }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(line, E'\\n' order by line)), '') as sum from (
        select (to_jsonb(t) - 'xid' - 'since' ${name === "public.events" ? place : ""})::text as line from ${name} t
        ${name === "public.settings" ? "where key not in ('restored_at', 'payment_search', 'upgrade_copy', 'install_id')" : ""}
        ${name === "public.event_cursors" ? "where false" : ""}) l`,
    );
    found[name] = row?.sum ?? "";
  }
  return found;
}

/** The rules of a schema. Postgres forgets needless brackets when it reads an expression from a dump. */
const rules = () =>
  query(
    `select t.relname as at, c.conname as name, translate(pg_get_constraintdef(c.oid), '()', '') as rule
     from pg_constraint c join pg_class t on t.oid = c.conrelid
     where c.connamespace in ('public'::regnamespace, 'simulator'::regnamespace) and c.contype in ('f', 'c', 'p', 'u')
       and c.conparentid = 0 and not t.relispartition
     union all
     select t.relname, g.tgname, g.tgenabled::text from pg_trigger g join pg_class t on t.oid = g.tgrelid where not g.tgisinternal
     order by 1, 2, 3`,
  );

const made: string[] = [];
const file = (name: string) => path.join(work, name);
async function exported(name: string, passphrase?: string): Promise<string> {
  fs.rmSync(file(name), { force: true });
  await dump((parts) => writeExport(file(name), parts, passphrase), secret);
  return file(name);
}

/** The install beside a test becomes one of the first schema. */
async function becomeOlder(): Promise<void> {
  await query(
    "drop schema public cascade; drop schema simulator cascade; drop schema drizzle cascade; create schema public",
  );
  await query(first);
}

async function into(url: string, from: string): Promise<void> {
  provideEnv({ DATABASE_URL: url });
  await closePool();
  await importInstall([from]);
}

/** An empty database on the server of another one. */
async function fresh(beside = suite.DATABASE_URL): Promise<string> {
  const name = `kutip_import_${Math.random().toString(36).slice(2)}`;
  await query(`create database ${name}`, beside);
  if (beside === suite.DATABASE_URL) made.push(name);
  const url = new URL(beside);
  url.pathname = `/${name}`;
  return url.href;
}

test("an export into an empty database is the same install: rows, references, checks and triggers", async () => {
  const [before, ruled] = [await content(), await rules()];
  expect(before["public.payment_links"]).toMatch(/^\d{2,} /);
  const from = await exported("same");
  expect(fs.statSync(from).mode & 0o777).toBe(0o600);
  await into(await fresh(), from);
  expect(await content()).toEqual(before);
  expect(await rules()).toEqual(ruled);
  await expect(query("delete from ledger_entries")).rejects.toThrow();
  // Numbers go on where they were.
  const [next] = await query<{ id: number; last: number }>(
    "select nextval('businesses_id_seq')::int as id, (select max(id) from businesses)::int as last",
  );
  expect(next?.id).toBeGreaterThan(next?.last ?? 0);
});

test("no caller can load an export into a database that holds a business", async () => {
  const before = await content();
  const parts = readExport(await exported("held"));
  const head = await headOf(parts);
  await expect(load(head, parts, async () => undefined)).rejects.toThrow(/not empty.*DATABASE_URL/);
  await parts.return(undefined);
  expect(await content()).toEqual(before);
});

test("a business that is made while an import begins is kept, and the import is refused", async () => {
  const parts = readExport(await exported("beside"));
  const head = await headOf(parts);
  provideEnv({ DATABASE_URL: await fresh() });
  await closePool();
  await migrateDatabase();
  const founder = new pg.Client(connectionOptions());
  await founder.connect();
  await founder.query(
    "begin; insert into businesses (name, signing_secret_test, signing_secret_live) values ('New', '', '')",
  );
  const loading = load(head, parts, async () => undefined).catch((error: unknown) => error);
  const waiting =
    "select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())";
  await expect
    .poll(async () => (await query(waiting)).length, { timeout: 10_000 })
    .toBeGreaterThan(0);
  await founder.query("commit");
  await founder.end();
  expect(await loading).toMatchObject({ message: expect.stringMatching(/not empty/) });
  await parts.return(undefined);
  expect(await query("select name from businesses")).toEqual([{ name: "New" }]);
});

test("an import that ends before its last step leaves an empty database, and a whole one has noted the restore", async () => {
  const from = await exported("cut short");
  const url = await fresh();
  vi.mocked(readableAfterRestore).mockRejectedValueOnce(new Error("the server is gone"));
  await expect(into(url, from)).rejects.toThrow("the server is gone");
  expect(await query("select from businesses")).toEqual([]);
  await into(url, from);
  expect(await query("select from businesses")).not.toEqual([]);
  expect(
    await query("select from settings where key in ('restored_at', 'payment_search')"),
  ).toHaveLength(2);
});

test("an import names each connection whose gateway has no list, with the moment since when to compare", async () => {
  const connected = (id: string, gateway: string, revoked: string) =>
    query(
      `insert into gateway_connections (business_id, mode, id, account, gateway, revoked_at) select min(id), 'live', '${id}', '${id}', '${gateway}', ${revoked} from businesses`,
    );
  await connected("a".repeat(32), "chip", "null");
  await connected("b".repeat(32), "billplz", "null");
  await connected("c".repeat(32), "chip", "now()");
  await connected("d".repeat(32), "stripe", "null");
  const noted: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => noted.push(String(text)) > 0);
  await into(await fresh(), await exported("unlisted"));
  const [search] = await query<{ since: string }>(
    "select value::jsonb ->> 'since' as since from settings where key = 'payment_search'",
  );
  const byHand = noted.filter((line) => line.includes("no list"));
  expect(byHand).toEqual([
    expect.stringMatching(/CHIP .*connection a{32} of business \d+, live mode/),
    expect.stringMatching(/Billplz .*connection b{32} of business \d+, live mode/),
  ]);
  for (const line of byHand) expect(line).toContain(`after ${search?.since} by hand`);
  const undone = `cancelled, revoked, removed or recorded by hand after ${search?.since} is as it was before`;
  expect(noted.join("")).toContain(undone);
});

test("an import of an export from an earlier month has the months that are written to next", async () => {
  const month = "^(events|mails)_[0-9]{6}$";
  const months = () => query(`select relname from pg_class where relname ~ '${month}' order by 1`);
  const before = await months();
  expect(before).not.toEqual([]);
  await query(`do $$ declare month text; begin
    for month in select relname from pg_class where relname ~ '${month}' loop
      execute format('drop table %I', month);
    end loop; end $$`);
  await into(await fresh(), await exported("earlier"));
  expect(await months()).toEqual(before);
});

test("a new data folder gets the rows and the secret", async () => {
  const before = await content();
  const from = await exported("folder");
  const folder = path.join(work, "folder-of-its-own");
  provideEnv({ DATABASE_URL: "", KUTIP_DATA_DIR: folder, KUTIP_SECRET: "" });
  await closePool();
  try {
    await importInstall([from]);
    const { url } = await startCluster(folder);
    provideEnv({ DATABASE_URL: url });
    expect(await content()).toEqual(before);
    const { secret: kept } = placesIn(folder);
    expect([fs.readFileSync(kept, "utf8").trim(), fs.statSync(kept).mode & 0o777]).toEqual([
      secret,
      0o600,
    ]);
    provideEnv({ DATABASE_URL: "" });
    await closePool();
    await expect(importInstall([from])).rejects.toThrow(/not empty.*KUTIP_DATA_DIR/);
  } finally {
    await closePool();
    stopCluster(folder);
  }
});

test("an export of the first schema becomes an install of this version", async () => {
  await becomeOlder();
  const [links] = await query<{ n: number }>("select count(*)::int as n from payment_links");
  const from = await exported("old");
  await into(await fresh(), from);
  expect(await pendingMigrations()).toBe(0);
  expect(await query("select count(*)::int as n from payment_links")).toEqual([links]);
});

test("an export can stay at its version, to go back", async () => {
  await becomeOlder();
  const before = await content();
  const from = await exported("back");
  provideEnv({ DATABASE_URL: await fresh() });
  await closePool();
  await importInstall([from, "--as-exported"]);
  expect(await query("select from drizzle.__drizzle_migrations")).toHaveLength(1);
  expect(await content()).toEqual(before);
});

test("an export whose upgrade needs an extension that cannot be had is refused before its rows", async () => {
  await becomeOlder();
  const from = await exported("extension");
  const url = await fresh();
  await query("create schema apart; create extension pg_trgm schema apart", url);
  await expect(into(url, from)).rejects.toThrow(
    /does not search the schema apart.*run the same command again$/,
  );
  expect(await query("select from pg_tables where schemaname = 'public'")).toEqual([]);
  // To go back, no later migration has to run.
  await importInstall([from, "--as-exported"]);
  expect(await query("select from businesses")).not.toEqual([]);
});

test("an upgrade that fails after the rows are imported names the command that finishes it", async () => {
  await becomeOlder();
  const from = await exported("half");
  const url = await fresh();
  await query(
    `create schema apart;
     create function apart.refuse() returns event_trigger language plpgsql as $$ begin raise 'out of order'; end $$;
     create event trigger refuse on ddl_command_start when tag in ('CREATE EXTENSION') execute function apart.refuse()`,
    url,
  );
  await expect(into(url, from)).rejects.toThrow(
    /^everything is imported, and the upgrade is not finished: the migration 0025_search_extensions failed \(out of order\).*: correct the cause and run npm run -s kutip -- migrate --backup-taken$/,
  );
  await query("drop event trigger refuse", url);
  await migrate(["--backup-taken"]);
  expect(await pendingMigrations()).toBe(0);
  expect(await query("select from businesses")).not.toEqual([]);
});

// The length of the line that names the format.
const HEAD_BYTES = 64;

test("an encrypted export needs its passphrase and shows nothing without it", async () => {
  const from = await exported("sealed", PASSPHRASE);
  const bytes = fs.readFileSync(from);
  const packed = fs.readFileSync(await exported("open")).subarray(HEAD_BYTES, HEAD_BYTES + 10);
  expect(packed.subarray(0, 3)).toEqual(Buffer.from([0x1f, 0x8b, 8]));
  expect(bytes.includes(packed)).toBe(false);
  expect(bytes.includes("payment_links")).toBe(false);
  const head = async (passphrase?: string) => (await readExport(from, passphrase).next()).value;
  expect(await head(PASSPHRASE)).toMatchObject({ secret });
  await expect(head("another passphrase")).rejects.toThrow(/passphrase/);
  await expect(head()).rejects.toThrow(/is encrypted: add --passphrase/);
});

test.each([
  ["plain", undefined],
  ["encrypted", PASSPHRASE],
])(
  "a cut or altered %s export is refused and leaves the database empty",
  async (name, passphrase) => {
    const whole = fs.readFileSync(await exported(name, passphrase));
    const altered = Buffer.from(whole);
    altered.writeUInt8(altered.readUInt8(whole.length >> 1) ^ 1, whole.length >> 1);
    for (const bad of [
      whole.subarray(0, whole.length - 1),
      whole.subarray(0, whole.length >> 2),
      altered,
      Buffer.from("no export"),
    ]) {
      fs.writeFileSync(file("bad"), bad);
      const read = async () => {
        for await (const part of readExport(file("bad"), passphrase)) void part;
      };
      await expect(read()).rejects.toMatchObject({ name: "Refusal" });
    }
    if (passphrase !== undefined) return;
    fs.writeFileSync(file("bad"), altered);
    const url = await fresh();
    await expect(into(url, file("bad"))).rejects.toMatchObject({ name: "Refusal" });
    const [there] = await query<{ n: number | null }>(
      "select (case when to_regclass('businesses') is null then 0 else (xpath('/row/n/text()', query_to_xml('select count(*) as n from businesses', false, true, '')))[1]::text::int end) as n",
    );
    expect(there?.n).toBe(0);
    // The same database takes a whole one afterwards.
    await into(url, file(name));
    expect(await query("select from businesses")).not.toEqual([]);
  },
);

test("another secret and a schema of a newer version are refused", async () => {
  const from = await exported("other");
  provideEnv({ KUTIP_SECRET: suite.KUTIP_SECRET });
  await query(
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 9000000000000)",
  );
  const newer = await exported("newer");
  await expect(into(await fresh(), newer)).rejects.toThrow(
    /schema that this version does not know/,
  );
  provideEnv({ KUTIP_SECRET: secret });
  await into(await fresh(), from);
});

test.skipIf(!hasDebianPostgres)(
  "an install moves to Debian's Postgres 15 and back, unchanged (skipped without the package postgresql-15)",
  async () => {
    const before = await content();
    const server = startDebianPostgres(path.join(work, "fifteen"));
    try {
      await into(await fresh(server.url), await exported("eighteen"));
      expect(
        (await query<{ v: string }>("select current_setting('server_version') as v"))[0]?.v,
      ).toMatch(/^15/);
      expect(await content()).toEqual(before);
      const back = await exported("fifteen.kutip");
      await into(await fresh(), back);
      expect(await content()).toEqual(before);
    } finally {
      await closePool();
      server.stop();
    }
  },
);
