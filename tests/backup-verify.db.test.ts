import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import pg from "pg";
import { expect, inject, test, vi } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { connectClient } from "@/db/connection";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { provideLimits } from "@/db/limits";
import { installId } from "@/db/settings";
import { dump } from "@/db/transfer/dump";
import { backupName } from "@/lib/backups/names";
import { writeExport } from "@/lib/backups/export-file";
import { record } from "@/lib/domain/audit/record";
import { createBusiness } from "@/lib/domain/businesses/create";
import { env, givenTexts, provideEnv } from "@/lib/env";
import { backupNow, backupRestore } from "@/lib/operator/backups";
import { backupVerify } from "@/lib/operator/backup-verify";
import { backups } from "@/lib/operator/scheduled-backup/job";
import { checkSecret } from "@/lib/supervisor/secret";
import { makeDatabase, settingsFor } from "./make-database";
import { runOnce } from "./run-once";
import {
  backupsEach,
  dueNow,
  folder,
  inBucket,
  inFolder,
  KEY,
  peer,
  plan,
  toBucket,
  toFolder,
} from "./scheduled-backup-setting";

vi.mock(import("@/db/embedded/cluster"), { spy: true });

const said = backupsEach();

/** A business with an audit log that begins with its creation, as those of an install do. */
async function newBusiness(): Promise<void> {
  await withTransaction(async (tx) => {
    const { id } = await createBusiness({ name: "Night Market" }, tx);
    await record(tx, id, { kind: "operator" }, { action: "business:create" });
  });
}

/** Verifies on a server of its own; this process's database afterwards is the one before. */
async function verify(...args: string[]): Promise<{ code: number | string; text: string }> {
  const before = {
    ...givenTexts(["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL", "KUTIP_SECRET"]),
    KUTIP_SECRET: env.KUTIP_SECRET ?? "",
  };
  said.texts = [];
  try {
    const code = await backupVerify(args);
    return { code, text: said.texts.join("") };
  } catch (error) {
    return { code: "refused", text: (error as Error).message };
  } finally {
    provideEnv(before);
  }
}

test("a backup is verified on a scratch server: it is good, and one with a changed byte, wrong books or another key is not", async () => {
  toBucket();
  await checkSecret("the settings");
  await newBusiness();
  await plan();
  await runOnce(backups);
  expect(await verify()).toEqual({
    code: 0,
    text: expect.stringMatching(/^kutip-.* is good: of /),
  });

  const [key = ""] = inBucket();
  const whole = peer.objects.get(key) ?? Buffer.alloc(0);
  const changed = Buffer.from(whole);
  changed[changed.length - 100] = (changed.at(-100) ?? 0) ^ 1;
  peer.objects.set(key, changed);
  expect((await verify("latest")).code).toBe("refused");
  peer.objects.set(key, whole.subarray(0, whole.length - 65_552));
  expect((await verify("latest")).code).toBe("refused");

  peer.objects.set(key, whole);
  provideEnv({ BACKUP_KEY: "another passphrase than that" });
  expect(await verify()).toEqual({ code: "refused", text: expect.stringContaining("passphrase") });
  provideEnv({ BACKUP_KEY: KEY });

  await db.execute(sql`alter table audit_entries disable trigger user`);
  const changes = await db.execute(sql`update audit_entries set details = '{"amount": 1}'`);
  expect(changes.rowCount).toBeGreaterThan(0);
  await dueNow();
  await runOnce(backups);
  expect(await verify()).toEqual({ code: 1, text: expect.stringContaining("audit log") });
});

test("a backup can be made at once, and a copy of it verified from a file in a new database of a server", async () => {
  toFolder();
  await newBusiness();
  await backupNow([]);
  const [name = ""] = inFolder();
  expect(said.texts.join("")).toContain(`${name} written to ${folder}`);
  const server = env.DATABASE_URL ?? "";
  const databases = async () =>
    (await db.execute(sql`select from pg_database where datname like 'kutip_verify_%'`)).rowCount;
  const found = await verify(path.join(folder, name), "--server", server);
  expect(found).toEqual({ code: 0, text: expect.stringContaining("is good") });
  expect(await databases()).toBe(0);
});

test.each([
  ["postgres://user:hush@localhost/name", "PGPASSWORD"],
  ["postgres://user@localhost/name?password=hush", "PGPASSWORD"],
  ["", "--server takes postgres://"],
])(
  "a password in the arguments is refused, and so is a server without a name: %s",
  async (server, reason) => {
    toFolder();
    await newBusiness();
    await backupNow([]);
    const { code, text } = await verify("latest", "--server", server);
    expect([code, text]).toEqual(["refused", expect.stringContaining(reason)]);
    expect(text).not.toContain("hush");
  },
);

test("the database of --server is made and dropped without the time limit of a request", async () => {
  toFolder();
  await newBusiness();
  await backupNow([]);
  provideLimits({ requestMs: 10 });
  const found = await verify("latest", "--server", env.DATABASE_URL ?? "").finally(() =>
    provideLimits(),
  );
  expect(found).toEqual({ code: 0, text: expect.stringContaining("is good") });
});

test("a verdict stands where the scratch database cannot be dropped, which is named", async () => {
  toFolder();
  await newBusiness();
  await backupNow([]);
  const { query } = pg.Client.prototype;
  const broken = vi.spyOn(pg.Client.prototype, "query");
  broken.mockImplementation(function (this: pg.Client, ...given: unknown[]): unknown {
    if (!/^drop database if exists kutip_verify_\w+ with/.test(String(given[0])))
      return Reflect.apply(query, this, given);
    const [done, error] = [given.at(-1), new Error("the network is away")];
    return typeof done === "function" ? done(error) : Promise.reject(error);
  } as never);
  const found = await verify("latest", "--server", env.DATABASE_URL ?? "");
  broken.mockRestore();
  const [, left = ""] =
    /the database (kutip_verify_\w+) is left: .*the network is away/.exec(said.notes.join("")) ??
    [];
  await db.execute(sql`drop database if exists ${sql.identifier(left)} with (force)`);
  expect([found.code, left]).toEqual([0, expect.stringContaining("kutip_verify_")]);
});

test("verifying a backup leaves the database of DATABASE_DIRECT_URL as it is", async () => {
  toFolder();
  await newBusiness();
  await backupNow([]);
  const count = async () => (await db.execute(sql`select from businesses`)).rowCount;
  const before = await count();
  provideEnv({ DATABASE_DIRECT_URL: env.DATABASE_URL ?? "" });
  try {
    expect((await verify()).code).toBe(0);
  } finally {
    provideEnv({ DATABASE_DIRECT_URL: "" });
  }
  expect(before).toBeGreaterThan(0);
  expect(await count()).toBe(before);
});

/** A backup of this install, empty or not. Its name has the id of the install, or the one that is given. */
async function written(moment: string, install?: string): Promise<string> {
  const name = backupName(moment, install ?? (await installId()));
  mkdirSync(folder, { recursive: true });
  await dump((parts) => writeExport(path.join(folder, name), parts, KEY), env.KUTIP_SECRET);
  return name;
}

test("the newest backup is neither restored nor called good while it holds no business, unless it is named", async () => {
  toFolder();
  await checkSecret("the settings");
  const empty = await written("2026-11-02T02:00:00Z");
  expect(await verify()).toEqual({
    code: "refused",
    text: expect.stringMatching(`^${empty} is the newest backup.*without a business`),
  });
  expect((await verify(empty)).code).toBe(0);

  await newBusiness();
  const real = await written("2026-11-01T02:00:00Z");
  const { server, template } = inject("database");
  const target = await makeDatabase(server, template);
  provideEnv(settingsFor(target.url));
  await closePool();
  try {
    const count = async () => (await db.execute(sql`select from businesses`)).rowCount;
    for (const given of [[], ["latest"]])
      await expect(backupRestore(given)).rejects.toThrow(/without a business.*name the backup/);
    await backupRestore([empty]);
    expect(await count()).toBe(0);
    await backupRestore([real]);
    expect(await count()).toBe(1);
    expect(real).not.toContain(await installId());
  } finally {
    await closePool();
    await target.remove();
  }
});

test("the newest backup of a store that several installs share is refused, and the newest of each is named", async () => {
  toFolder();
  await checkSecret("the settings");
  await newBusiness();
  const [ours, theirs] = [await installId(), "0a1b2c3d"];
  await written("2026-11-01T02:00:00Z", theirs);
  const newest = [
    await written("2026-11-02T02:00:00Z", theirs),
    await written("2026-11-03T02:00:00Z", ours),
  ];
  const { code, text } = await verify();
  expect(code).toBe("refused");
  expect(text.split("\n").slice(1)).toEqual([
    `${newest[0]} of install ${theirs}`,
    `${newest[1]} of install ${ours}`,
  ]);
  expect((await verify(newest[0] ?? "")).code).toBe(0);
});

test("a store or a file that cannot be read is named, and not called damaged", async () => {
  toBucket();
  await newBusiness();
  await backupNow([]);
  const [key = ""] = inBucket();
  peer.failOnce(403, (call) => call.method === "GET" && call.key === key);
  expect(await verify()).toEqual({
    code: "refused",
    text: expect.stringMatching(/^kutip-.*\.export cannot be read: the store answers GET .* 403 /),
  });
  mkdirSync(folder);
  expect(await verify(folder)).toEqual({
    code: "refused",
    text: expect.stringContaining(`${folder} cannot be read: EISDIR`),
  });
});

const SERVER_SETTINGS = { fsync: "off", shared_buffers: "32MB" };

test("what a killed verification left is removed by the next one: its folder with the server, and its database", async () => {
  toFolder();
  await newBusiness();
  await backupNow([]);
  const dead = spawnSync("true").pid;
  const at = (owner: number) => path.join(os.tmpdir(), `kutip-verify-${owner}-test`);
  const [left, live] = [at(dead), at(process.ppid)];
  for (const one of [left, live]) {
    mkdirSync(one);
    writeFileSync(path.join(one, "rows"), "of payers");
  }
  await startCluster(left, { settings: SERVER_SETTINGS });
  const { cluster } = placesIn(left);
  expect(postmasterOf(cluster).state).toBe("alive");
  try {
    expect((await verify()).code).toBe(0);
    expect([existsSync(left), existsSync(live)]).toEqual([false, true]);
    expect(said.notes.join("")).toContain(`${left} of a command that was killed is removed`);
  } finally {
    stopCluster(left);
    for (const one of [left, live]) rmSync(one, { recursive: true, force: true });
  }

  const server = env.DATABASE_URL ?? "";
  const [clock] = (
    await db.execute<{ now: string }>(sql`select extract(epoch from now())::bigint as now`)
  ).rows;
  const names = {
    old: "kutip_verify_0123456789ab",
    dated: "kutip_verify_1700000000_0123456789ab",
    used: "kutip_verify_1700000000_0123456789ac",
    fresh: `kutip_verify_${clock?.now}_0123456789ab`,
  };
  const url = new URL(server);
  url.pathname = `/${names.used}`;
  for (const name of Object.values(names)) await db.execute(sql.raw(`create database ${name}`));
  const user = await connectClient(url.href);
  try {
    expect((await verify("latest", "--server", server)).code).toBe(0);
    const { rows } = await db.execute<{ name: string }>(
      sql`select datname as name from pg_database where datname like 'kutip_verify_%' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual([names.used, names.fresh].sort());
  } finally {
    await user.end();
    for (const name of Object.values(names))
      await db.execute(sql.raw(`drop database if exists ${name} with (force)`));
  }
});

test("a signal that comes while the scratch server is made leaves nothing, and ends the command", async () => {
  toFolder();
  await newBusiness();
  await backupNow([]);
  const ended = Promise.withResolvers<unknown>();
  vi.spyOn(process, "exit").mockImplementation((code) => ended.resolve(code) as never);
  let made = "";
  vi.mocked(startCluster).mockImplementationOnce(async (given) => {
    made = given;
    expect(existsSync(made)).toBe(true);
    process.emit("SIGHUP");
    await ended.promise;
    throw new Error("ended");
  });
  expect((await verify()).text).toBe("ended");
  expect([await ended.promise, existsSync(made)]).toEqual([130, false]);
});
