import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { connectClient } from "@/db/connection";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { migrateDatabase, pendingMigrations } from "@/db/migrate";
import { readMigrations } from "@/db/migration-files";
import { readOldestWriter } from "@/db/oldest-writer";
import { env, provideEnv } from "@/lib/env";
import { version } from "@/lib/kernel/version";
import { commands } from "@/lib/operator/commands";
import { physicalBackup } from "@/lib/operator/physical-backup";
import { physicalRestore } from "@/lib/operator/physical-restore";
import { completeInstall } from "@/lib/supervisor/install";
import { prepareUpgrade } from "@/lib/supervisor/upgrade";
import { ownDatabaseEach } from "../own-database";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const dump = gunzipSync(
  readFileSync(path.join(import.meta.dirname, "first-schema.sql.gz")),
).toString("utf8");
const secret = "upgrade-fixture-".repeat(3);
const work = mkdtempSync(path.join(os.tmpdir(), "kutip-offline-"));
// Another user may run Postgres in there.
chmodSync(work, 0o711);
const suiteSecret = env.KUTIP_SECRET ?? "";

async function query<Row extends Record<string, unknown>>(text: string): Promise<Row[]> {
  const client = await connectClient();
  return client
    .query<Row>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

ownDatabaseEach(() => query(dump));
beforeEach(() => {
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  provideEnv({ KUTIP_SECRET: secret });
});
afterAll(() => {
  provideEnv({ KUTIP_SECRET: suiteSecret });
  rmSync(work, { recursive: true, force: true });
});

const run = async (name: string, ...args: string[]) => (await commands[name]?.load())?.(args);

describe("a first schema on an own server", () => {
  const upgraded = async () => {
    expect(await pendingMigrations()).toBe(0);
    expect(await readOldestWriter()).toBe(version);
  };

  test("is refused until it was exported, and upgraded then", async () => {
    const file = path.join(work, "first.kutip");
    await expect(run("migrate")).rejects.toThrow(/cannot be undone.*export FILE.*--backup-taken/);
    expect(await pendingMigrations()).toBeGreaterThan(0);
    await run("export", file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await pendingMigrations()).toBeGreaterThan(0);
    await run("migrate");
    await upgraded();
  });

  test("is refused when something was written after the export", async () => {
    await run("export", path.join(work, "stale.kutip"));
    await query(
      "insert into events (business_id, mode, id, type, object_id, data, actor) values (1001, 'test', repeat('a', 24), 'package.created', 'x', '{}', '{\"kind\":\"clock\"}')",
    );
    await expect(run("migrate")).rejects.toThrow(/cannot be undone/);
  });

  test("is upgraded with --backup-taken", async () => {
    await run("migrate", "--backup-taken");
    await upgraded();
  });

  test("is refused while a worker of the older version runs", async () => {
    await query("insert into workers (id, pid, seen_at) values ('old', 1, now())");
    const beat = setInterval(
      () => void query("update workers set seen_at = now()").catch(() => undefined),
      200,
    );
    try {
      await expect(run("migrate", "--backup-taken")).rejects.toThrow(/stop all processes/);
      expect(await pendingMigrations()).toBeGreaterThan(0);
    } finally {
      clearInterval(beat);
    }
  });

  test("is left alone by other commands", async () => {
    await expect(run("key:list", "--business", "1001")).rejects.toThrow(/lacks migr.*-- migrate/);
    expect(await pendingMigrations()).toBeGreaterThan(0);
  });

  test("that lacks one migration is left alone by other commands, and copied as it is", async () => {
    const before = readMigrations().at(-2);
    await migrateDatabase({ upTo: before?.when ?? 0 });
    await expect(run("key:list", "--business", "1001")).rejects.toThrow(/lacks migr.*-- migrate/);
    await run("export", path.join(work, "rolling.kutip"));
    expect([await pendingMigrations(), await query("select from processes")]).toEqual([1, []]);
    await run("migrate");
    await run("key:list", "--business", "1001");
    expect(await pendingMigrations()).toBe(0);
  });
});

test("an older data folder is backed up after a look at the disk, then migrated, once, and its backup can be restored", async () => {
  const [folder, restored] = [path.join(work, "data"), path.join(work, "restored")];
  const places = placesIn(folder);
  mkdirSync(folder);
  const { url } = await startCluster(folder, {
    settings: { fsync: "off", shared_buffers: "32MB" },
  });
  provideEnv({ DATABASE_URL: url });
  await closePool();
  const install = { places, embedded: true, startedHere: true };
  const backups = () => {
    try {
      return readdirSync(path.join(folder, "backups"));
    } catch {
      return [];
    }
  };
  try {
    await query(dump);
    writeFileSync(places.secret, `${secret}\n`, { mode: 0o600 });
    await expect(prepareUpgrade(install, physicalBackup, () => 300 * 2 ** 20)).rejects.toThrow(
      /needs \d+ MiB in .*, where 300 MiB are free/,
    );
    expect(backups()).toEqual([]);
    writeFileSync(path.join(folder, "backups", "cut.tar.gz.part"), "of a start that was killed");
    await prepareUpgrade(install, physicalBackup);
    // A start that was killed between the backup and the first migration needs no second one.
    const pending = await pendingMigrations();
    expect(await completeInstall(install, physicalBackup)).toBe(pending);
    expect(backups()).toHaveLength(1);
    const file = path.join(folder, "backups", backups()[0] ?? "");
    expect(file).toMatch(/before-.*\.tar\.gz$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await pendingMigrations()).toBe(0);
    expect(await query("select count(*)::int > 50 as kept from payment_links")).toEqual([
      { kept: true },
    ]);
    expect(await completeInstall(install, physicalBackup)).toBe(0);
    expect(backups()).toHaveLength(1);

    await closePool();
    await physicalRestore(restored, file, false);
    provideEnv({ DATABASE_URL: (await startCluster(restored)).url });
    await closePool();
    expect(await pendingMigrations()).toBe(pending);
  } finally {
    await closePool();
    stopCluster(folder);
    stopCluster(restored);
  }
});
