import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { connectClient, connectionOptions } from "@/db/connection";
import { provideLimits } from "@/db/limits";
import { migrateDatabase } from "@/db/migrate";
import { ownDatabaseEach } from "../own-database";
import { migrationFolder } from "./folder";

vi.setConfig({ testTimeout: 120_000 });

// A database before its first migration.
ownDatabaseEach(async () => undefined);
afterEach(() => provideLimits());

const BREAKPOINT = "\n--> statement-breakpoint\n";
const ROWS = 2_500;
const chain: Record<string, string> = {
  "0000_base": [
    "create table items (id int primary key, words text)",
    `insert into items select n, repeat('x', n % 7) from generate_series(1, ${ROWS}) n`,
    "create table notes (id int, at int not null) partition by range (at)",
    "create table notes_1 partition of notes for values from (0) to (1000)",
    "create table notes_2 partition of notes for values from (1000) to (9000)",
    `insert into notes select n, n from generate_series(1, ${ROWS}) n`,
  ].join(BREAKPOINT),
  "0001_column": "alter table items add column size int",
  "0002_fill":
    "-- kutip: batches\nupdate items set size = length(words) where id in (select id from items where size is null limit 1000)",
  "0003_index": "create index concurrently items_size on items (size)",
  "0004_parts": "create unique index concurrently notes_at on notes (at, id)",
  "0005_check": "alter table items add constraint size_known check (size is not null) not valid",
  "0006_checked": "alter table items validate constraint size_known",
};
const folder = () => migrationFolder(chain);

async function query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ ...connectionOptions(), application_name: "kutip test" });
  await client.connect();
  return client
    .query<Row>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** All that the chain leaves behind. */
const outcome = () =>
  Promise.all([
    query("select hash, created_at from drizzle.__drizzle_migrations order by id"),
    query(
      "select c.relname, x.indisvalid from pg_index x join pg_class c on c.oid = x.indexrelid join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' order by 1",
    ),
    query(
      "select conname, convalidated from pg_constraint where connamespace = 'public'::regnamespace order by 1",
    ),
    query("select count(*), count(size), sum(size) from items"),
  ]);

const stateOf = async (what: string) =>
  (
    await query<{ waits: boolean }>(
      `select wait_event_type = 'Lock' as waits from pg_stat_activity where datname = current_database() and application_name = 'kutip migrate' and query ilike '${what}%' and state = 'active'`,
    )
  ).some(({ waits }) => waits);
const killMigration = () =>
  query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'kutip migrate'",
  );

test("each migration commits alone, backfills run in batches, and partitions get their index one by one", async () => {
  const steps: string[] = [];
  await migrateDatabase({
    folder: folder(),
    onStep: async (step) => void (step.endsWith("before commit") || steps.push(step)),
  });
  expect(steps).toEqual([
    "0000_base: committed",
    "0001_column: committed",
    ...Array(4).fill("0002_fill: batch: committed"),
    "0002_fill: committed",
    "0003_index: built items_size",
    "0003_index: committed",
    "0004_parts: declared notes_at: committed",
    "0004_parts: built notes_1_notes_at",
    "0004_parts: attached notes_1_notes_at: committed",
    "0004_parts: built notes_2_notes_at",
    "0004_parts: attached notes_2_notes_at: committed",
    "0004_parts: committed",
    "0005_check: committed",
    "0006_checked: committed",
  ]);
});

test("a crash at any step is resumed, and the outcome is that of one run", async () => {
  const at = folder();
  let steps = 0;
  await migrateDatabase({ folder: at, onStep: async () => void steps++ });
  const whole = await outcome();
  for (let dying = 1; dying <= steps; dying++) {
    await query("drop schema public cascade; drop schema drizzle cascade; create schema public");
    let step = 0;
    const died = migrateDatabase({
      folder: at,
      onStep: async () => void (++step === dying && (await killMigration())),
    });
    if (dying < steps) await expect(died).rejects.toMatchObject({ name: "Refusal" });
    else await died.catch(() => undefined);
    await migrateDatabase({ folder: at });
    expect([dying, await outcome()]).toEqual([dying, whole]);
  }
});

test.each([
  ["0002_fill", "create index concurrently", "items", "items_size"],
  ["0003_index", "create unique index concurrently", "notes_2", "notes_2_notes_at"],
])(
  "an index that a crash after %s left invalid is built again",
  async (before, statement, table, index) => {
    const names = Object.keys(chain);
    await migrateDatabase({
      folder: migrationFolder(
        Object.fromEntries(Object.entries(chain).slice(0, names.indexOf(before) + 1)),
      ),
    });
    const reader = await connectClient();
    await reader.query(`begin; lock table ${table} in row exclusive mode`);
    const running = migrateDatabase({ folder: folder() }).catch((error: unknown) => error);
    await expect.poll(() => stateOf(statement), { timeout: 60_000, interval: 10 }).toBe(true);
    await killMigration();
    expect(await running).toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(/interrupted.*run the same command again/),
    });
    await reader.query("rollback");
    await reader.end();
    expect(
      await query(
        `select x.indisvalid from pg_index x join pg_class c on c.oid = x.indexrelid where c.relname = '${index}'`,
      ),
    ).toEqual([{ indisvalid: false }]);
    await migrateDatabase({ folder: folder() });
    expect(await query("select from pg_index where not indisvalid")).toEqual([]);
  },
);

test("two runs at once leave one migrated database", async () => {
  const at = folder();
  await Promise.all([migrateDatabase({ folder: at }), migrateDatabase({ folder: at })]);
  expect((await query("select from drizzle.__drizzle_migrations")).length).toBe(
    Object.keys(chain).length,
  );
});

test("a lock that is not granted in time lets the queue through, and the migration tries again", async () => {
  provideLimits({ migrationLockMs: 100 });
  await migrateDatabase({ folder: migrationFolder({ "0000_base": chain["0000_base"] ?? "" }) });
  const holder = await connectClient();
  await holder.query("begin; lock table items in access share mode");
  const running = migrateDatabase({ folder: folder() });
  const waits = () => stateOf("alter table");
  for (const attempt of [true, false, true, false])
    await expect.poll(waits, { timeout: 60_000, interval: 5 }).toBe(attempt);
  // Between attempts others are served.
  expect(await query("select count(*)::int as n from items")).toEqual([{ n: ROWS }]);
  await holder.query("commit");
  await holder.end();
  await running;
  expect(await query("select from items where size is null")).toEqual([]);
});

test.each([
  [
    "declaring",
    "create unique index if not exists",
    "0003_index: committed",
    "insert into notes values (-1, 1)",
  ],
  [
    "attaching",
    "alter index",
    "0004_parts: built notes_1_notes_at",
    "select from notes where at = 1",
  ],
])(
  "%s an index of a partitioned table waits for its lock as briefly, and lets writers through",
  async (_, statement, after, held) => {
    // A writer waits for 6 s at most.
    provideLimits({ migrationLockMs: 1_000 });
    const holder = await connectClient();
    const running = migrateDatabase({
      folder: folder(),
      onStep: async (step) => void (step === after && (await holder.query(`begin; ${held}`))),
    });
    await expect.poll(() => stateOf(statement), { timeout: 50_000, interval: 5 }).toBe(true);
    await query("insert into notes values (-2, 1)").finally(() => holder.end());
    await running;
    expect(await query("select from pg_index where not indisvalid")).toEqual([]);
  },
);

test.each([
  ["long report", "has had a transaction open for \\d+ s: end it"],
  ["kutip copy", "is a backup or an export: wait until it has ended"],
])(
  "a lock that is never granted ends in one sentence about the session that holds it: %s",
  async (name, what) => {
    provideLimits({ migrationLockMs: 60 });
    await migrateDatabase({ folder: migrationFolder({ "0000_base": chain["0000_base"] ?? "" }) });
    const innocent = await connectClient(undefined, { application_name: "older" });
    await innocent.query("begin; select from notes");
    const holder = await connectClient(undefined, { application_name: name });
    await holder.query("begin; lock table items in access share mode");
    await expect(migrateDatabase({ folder: folder() })).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(
        new RegExp(
          `^the migration 0001_column did not get its locks in 10 attempts, and nothing of it was changed; process \\d+ \\(${name}\\) ${what}, then run the same command again$`,
        ),
      ),
    });
    for (const client of [holder, innocent]) await client.end();
  },
);

test("where the lock is missing in the middle of a migration, the sentence says what is kept", async () => {
  provideLimits({ migrationLockMs: 60 });
  const holder = await connectClient(undefined, { application_name: "long report" });
  let batches = 0;
  await expect(
    migrateDatabase({
      folder: folder(),
      onStep: async (step) => {
        if (step === "0002_fill: batch: committed" && batches++ === 0)
          await holder.query("begin; lock table items in share mode");
      },
    }),
  ).rejects.toMatchObject({
    name: "Refusal",
    message: expect.stringMatching(
      /^the migration 0002_fill did not get its locks in 10 attempts, and its batches so far are kept; process \d+ \(long report\)/,
    ),
  });
  expect(await query("select count(size)::int as n from items")).toEqual([{ n: 1_000 }]);
  await holder.end();
});

test("a migration that fails is a sentence; it changes nothing, and what came before it is kept", async () => {
  const broken = {
    ...chain,
    "0001_column": `alter table items add column size int${BREAKPOINT}alter table items add column size int`,
  };
  await expect(migrateDatabase({ folder: migrationFolder(broken) })).rejects.toMatchObject({
    name: "Refusal",
    message: expect.stringMatching(/^the migration 0001_column failed \(column "size".*\)/),
  });
  expect(await query("select * from items where id = 1")).toEqual([{ id: 1, words: "x" }]);
  await migrateDatabase({ folder: folder() });
  expect(await query("select from items where size is null")).toEqual([]);
});
