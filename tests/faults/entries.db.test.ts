import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { closePool, db, longWork, openDatabase } from "@/db/client";
import { placesIn } from "@/db/embedded/folder";
import { migrateDatabase, pendingMigrations } from "@/db/migrate";
import { keepSetting, readPaymentSearch } from "@/db/settings";
import { createBusiness } from "@/lib/domain/businesses/create";
import { env, provideEnv } from "@/lib/env";
import { readiness } from "@/lib/http/health";
import { problemOf } from "@/lib/http/problems";
import { errorForLog } from "@/lib/kernel/error-text";
import { log } from "@/lib/kernel/log";
import { backupRestored } from "@/lib/operator/backups";
import { joinInstall, refuseArguments, requireSettings } from "@/lib/supervisor/entry";
import { completeInstall } from "@/lib/supervisor/install";
import { checkSecret, installSecret } from "@/lib/supervisor/secret";
import { ownDatabaseEach } from "../own-database";
import { openLine } from "./cut-line";

// A database before its first migration.
ownDatabaseEach(async () => undefined);

const secret = env.KUTIP_SECRET ?? "";
let ending = new AbortController();
let leave: (() => Promise<void>) | undefined;
const join = async () => {
  const joining = await joinInstall("web", ending.signal);
  leave = joining.leave;
  return joining;
};
let folder = "";
let places: ReturnType<typeof placesIn>;
beforeEach(() => {
  ending = new AbortController();
  folder = mkdtempSync(path.join(os.tmpdir(), "kutip-entry-"));
  places = placesIn(folder);
});
afterEach(async () => {
  ending.abort();
  await leave?.();
  leave = undefined;
  openDatabase();
  provideEnv({ KUTIP_SECRET: secret });
  rmSync(folder, { recursive: true, force: true });
});

const call = () =>
  db.execute(sql`select 1`).then(
    () => 200,
    (error: unknown) => problemOf(error, "a test").status,
  );
const ready = async () => (await readiness("web", false)).json();
const belongsToAnother = async () => {
  await migrateDatabase();
  await keepSetting("secret_check", "the check value of another secret");
};

describe("web and worker", () => {
  test.each(["DATABASE_URL", "KUTIP_SECRET"] as const)("need %s", (name) => {
    const url = env.DATABASE_URL ?? "";
    provideEnv({ [name]: "" });
    try {
      expect(() => requireSettings("web")).toThrow(new RegExp(`web process needs ${name}`));
      expect(() => requireSettings("worker")).toThrow(new RegExp(`worker process needs ${name}`));
    } finally {
      provideEnv({ DATABASE_URL: url });
    }
  });

  test.each(["web", "worker"] as const)(
    "%s takes its id from a supervisor, and no argument from an operator",
    (name) => {
      expect(() => refuseArguments(name, ["--help"], false)).toThrow(
        /no arguments, and --help was/,
      );
      refuseArguments(name, [], false);
      refuseArguments(name, ["the id of a start"], true);
    },
  );

  test("refuse a secret that is not the database's, and let no call through", async () => {
    await belongsToAnother();
    await expect(joinInstall("web")).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(/another KUTIP_SECRET/),
    });
    expect(await call()).toBe(503);
  });

  test("refuse events of another server until backup:restored has made them readable", async () => {
    await migrateDatabase();
    const { id } = await createBusiness({ name: "Restored" });
    await db.execute(sql`insert into events (business_id, mode, id, xid, type, object_id, data, actor)
      values (${id}, 'live', ${"a".repeat(24)}, '9000000000000', 'package.created', 'o', '{}', '{"kind":"clock"}')`);
    await expect(joinInstall("web")).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(/backup:restored/),
    });
    openDatabase();
    provideEnv({ KUTIP_DATA_DIR: folder });
    const said = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await backupRestored([]);
    said.mockRestore();
    expect(await readPaymentSearch()).toBeDefined();
    const { joined } = await join();
    await joined;
    expect(await call()).toBe(200);
  });

  test("create the months that are missing before a call can write", async () => {
    await migrateDatabase();
    const months = () => db.$count(sql`pg_class where relname ~ '^(events|mails)_[0-9]{6}$'`);
    const before = await months();
    await db.execute(sql`do $$ declare month text; begin
      for month in select relname from pg_class where relname ~ '^(events|mails)_[0-9]{6}$' loop
        execute format('drop table %I', month);
      end loop; end $$`);
    expect([before > 0, await months()]).toEqual([true, 0]);
    const { joined } = await join();
    await joined;
    expect(await months()).toBe(before);
  });

  test("wait for missing migrations, and work once they are there", async () => {
    const { joined } = await join();
    expect(await call()).toBe(503);
    await migrateDatabase();
    await joined;
    expect(await call()).toBe(200);
  });

  test("are not ready before they have joined, whatever keeps them from it, and say once what that is", async () => {
    await migrateDatabase();
    await db.execute(sql`alter table processes rename to processes_elsewhere`);
    const warned = vi.spyOn(log, "warn");
    const { joined } = await join();
    expect([await call(), await ready()]).toEqual([
      503,
      { status: "unavailable", web: "down", database: "ok", migrations: "ok" },
    ]);
    await longWork(async () => {
      await db.execute(sql`alter table processes_elsewhere rename to processes`);
    });
    await joined;
    expect([await call(), await ready()]).toEqual([
      200,
      { status: "ok", database: "ok", migrations: "ok" },
    ]);
    const lacking = warned.mock.calls.filter(([fields]) =>
      /"processes" does not exist/.test(errorForLog((fields as { err?: unknown }).err).message),
    );
    expect(lacking).toHaveLength(1);
  });

  test("wait for a server that cannot be reached, and work once it can", async () => {
    await migrateDatabase();
    const url = env.DATABASE_URL ?? "";
    const line = await openLine(url);
    try {
      line.cut();
      provideEnv({ DATABASE_URL: line.url });
      await closePool();
      const { joined } = await join();
      expect(await call()).toBe(503);
      line.mend();
      await joined;
      expect(await call()).toBe(200);
    } finally {
      provideEnv({ DATABASE_URL: url });
      await closePool();
      await line.close();
    }
  });
});

describe("the start and the operator's commands", () => {
  const complete = () => completeInstall({ places, embedded: false, startedHere: false });

  test("refuse a secret that is not the database's before they change anything", async () => {
    await belongsToAnother();
    await db.execute(
      sql`delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)`,
    );
    await expect(complete()).rejects.toThrow(/another KUTIP_SECRET/);
    expect(await longWork(pendingMigrations)).toBe(1);
  });

  test.each([
    ["is missing", () => undefined],
    ["is empty", () => writeFileSync(places.secret, "")],
  ])("make a secret when the file %s and the database belongs to none", async (_, prepare) => {
    prepare();
    provideEnv({ KUTIP_SECRET: "" });
    const made = await installSecret(places.secret);
    expect(made.length).toBeGreaterThanOrEqual(32);
    expect(readFileSync(places.secret, "utf8").trim()).toBe(made);
    expect(statSync(places.secret).mode & 0o777).toBe(0o600);
    expect(await installSecret(places.secret)).toBe(made);
  });

  test.each([
    ["is missing", () => undefined, false],
    ["is empty", () => writeFileSync(places.secret, ""), true],
  ])(
    "refuse a file that %s when the database belongs to a secret, and say how to put it back",
    async (_, prepare, there) => {
      await migrateDatabase();
      await checkSecret("a test");
      prepare();
      provideEnv({ KUTIP_SECRET: "" });
      await expect(installSecret(places.secret)).rejects.toMatchObject({
        name: "Refusal",
        message: expect.stringContaining(`put it back into ${places.secret}`),
      });
      expect(existsSync(places.secret)).toBe(there);
    },
  );

  test("two simultaneous starts use the same secret", async () => {
    provideEnv({ KUTIP_SECRET: "" });
    const made = await Promise.all([installSecret(places.secret), installSecret(places.secret)]);
    expect(new Set(made).size).toBe(1);
  });

  test("half a secret is never replaced", async () => {
    writeFileSync(places.secret, randomBytes(4).toString("hex"));
    provideEnv({ KUTIP_SECRET: "" });
    await expect(installSecret(places.secret)).rejects.toThrow(/no usable secret/);
  });
});
