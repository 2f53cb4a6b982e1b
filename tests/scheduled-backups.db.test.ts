import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { db } from "@/db/client";
import { installId } from "@/db/settings";
import { backupName } from "@/lib/backups/names";
import { create as createLink } from "@/lib/domain/payment-links/create";
import { provideEnv } from "@/lib/env";
import { unscopedWorkHealth } from "@/lib/jobs/health";
import { unscopedHaveWork } from "@/lib/jobs/look-rows";
import { createRunner } from "@/lib/jobs/runner";
import { metrics } from "@/lib/kernel/metrics";
import { backupList, backupNow } from "@/lib/operator/backups";
import { backups } from "@/lib/operator/scheduled-backup/job";
import { backUp } from "@/lib/operator/scheduled-backup/steps";
import { dueBackup, planBackup, readSchedule } from "@/lib/worker/backup-rows";
import { readFigures } from "@/lib/worker/figures";
import { newBusiness } from "./money/stripe-setting";
import { claimOf, runOnce } from "./run-once";
import {
  backupsEach,
  dueNow,
  folder,
  inBucket,
  inFolder,
  peer,
  plan,
  schedule,
  toBucket,
  toFolder,
} from "./scheduled-backup-setting";

const said = backupsEach();
const THEIRS = "0a1b2c3d";

async function aLink(): Promise<string> {
  const ctx = await newBusiness();
  const { _id } = await createLink(ctx, {
    email: "ana@example.com",
    currency: "MYR",
    amount: 1_250,
    title: "Satay for two",
    send_email: false,
  });
  return _id;
}

/** More than one part of an upload, also when it is compressed. */
async function fill(mebibytes: number): Promise<void> {
  for (let at = 0; at < mebibytes; at++)
    await db.execute(
      sql`insert into settings (key, value) values (${`filling_${at}`}, ${randomBytes(2 ** 20).toString("base64")})`,
    );
}

test("without settings nothing is planned or made", async () => {
  await plan();
  expect(await runOnce(backups)).toBe(0);
  expect(await schedule()).toBeUndefined();
});

test("a new install makes no backup, keeps those that a lost install left, and makes the first one once it has a business", async () => {
  toFolder();
  provideEnv({ BACKUP_KEEP: "1" });
  const real = backupName("2026-11-01T02:00:00Z", THEIRS);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, real), "real");
  await plan();
  expect(await schedule()).toBeUndefined();
  await expect(backupNow([])).rejects.toThrow(/nothing to back up/);
  // As an older version planned it.
  await planBackup((await readSchedule()).now);
  await runOnce(backups);
  expect(inFolder()).toEqual([real]);
  expect(await schedule()).toMatchObject({ nextAt: null, lastName: null, problem: null });
  await newBusiness();
  await plan();
  await runOnce(backups);
  expect(inFolder()).toEqual([real, (await schedule())?.lastName]);
});

test("the first backup is made at once, is encrypted, readable by its owner alone, and says when the next is due", async () => {
  toFolder();
  await aLink();
  await plan();
  expect(await runOnce(backups)).toBe(1);
  const [name = "", ...more] = inFolder();
  expect(more).toEqual([]);
  const file = path.join(folder, name);
  expect(statSync(file).mode & 0o077).toBe(0);
  const bytes = readFileSync(file);
  expect(bytes.toString("latin1")).toMatch(/^KUTIP-EXPORT-1 encrypted/);
  expect(bytes.includes("ana@example.com")).toBe(false);
  const made = await schedule();
  expect(made).toMatchObject({
    lastName: name,
    lastBytes: bytes.length,
    problem: null,
    failures: 0,
  });
  const { now } = await readSchedule();
  const hours = (Date.parse(made?.nextAt ?? "") - now.getTime()) / 3_600_000;
  expect(hours > 0 && hours <= 24).toBe(true);
  await plan();
  expect(await runOnce(backups)).toBe(0);
});

test("many workers make one backup", async () => {
  await newBusiness();
  toFolder();
  await plan();
  const runners = Array.from({ length: 5 }, () => createRunner(backups));
  const claimed = await Promise.all(runners.map(({ poll }) => poll("test")));
  await Promise.all(runners.map(({ drain }) => drain()));
  expect(claimed.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0);
  expect(inFolder()).toHaveLength(1);
});

test("a backup in a bucket is sent in parts with right signatures, and a part that failed is sent again", async () => {
  await newBusiness();
  toBucket();
  await fill(10);
  peer.failOnce(503, ({ method, query }) => method === "PUT" && query.get("partNumber") === "1");
  peer.failOnce("none", ({ method, query }) => method === "PUT" && query.get("partNumber") === "2");
  await plan();
  peer.calls.length = 0;
  await runOnce(backups);
  const parts = peer.calls.filter((call) => call === "PUT part").length;
  expect(parts).toBeGreaterThan(1);
  expect(peer.refusals).toEqual(["InternalError"]);
  const [key = ""] = inBucket();
  expect(key).toMatch(/^shop\/kutip-.*\.export$/);
  expect(await schedule()).toMatchObject({
    lastName: key.slice("shop/".length),
    lastBytes: peer.objects.get(key)?.length,
  });
  expect(peer.uploads.size).toBe(0);
});

test("wrong keys are refused by the store, named, and tried again later", async () => {
  await newBusiness();
  toBucket();
  provideEnv({ BACKUP_S3_SECRET_KEY: "another" });
  await plan();
  await runOnce(backups);
  expect(peer.refusals).toContain("SignatureDoesNotMatch");
  expect(inBucket()).toEqual([]);
  expect(await schedule()).toMatchObject({ lastName: null, failures: 1 });
  expect((await schedule())?.problem).toContain("SignatureDoesNotMatch");
});

test("a backup whose statement fails keeps the cause, without the values it had", async () => {
  await newBusiness();
  toFolder();
  await plan();
  await db.execute(sql`alter table settings rename to settings_elsewhere`);
  await runOnce(backups);
  expect((await schedule())?.problem).toBe('Failed query: relation "settings" does not exist');
});

test("a backup that fails for hours makes the install late, however many businesses it has", async () => {
  toBucket();
  provideEnv({ BACKUP_S3_SECRET_KEY: "another" });
  for (let made = 0; made < 3; made++) await newBusiness();
  await plan();
  await runOnce(backups);
  await db.execute(sql`update backup_schedule set next_at = now() - interval '7 hours'`);
  const { jobs } = await unscopedWorkHealth([backups], 3);
  expect(jobs).toMatchObject([{ late: true, stuck: [{ tenant: ["install"], tried: true }] }]);
});

test("an upload that fails in the middle is no backup, leaves nothing, and the last good one stays", async () => {
  await newBusiness();
  toBucket();
  provideEnv({ BACKUP_KEEP: "1" });
  await plan();
  await runOnce(backups);
  const [good = ""] = inBucket();
  await fill(10);
  await dueNow();
  for (let tries = 0; tries < 4; tries++)
    peer.failOnce(500, ({ method, query }) => method === "PUT" && query.get("partNumber") === "2");
  await runOnce(backups);
  expect(inBucket()).toEqual([good]);
  expect(peer.uploads.size).toBe(0);
  expect(await schedule()).toMatchObject({ failures: 1, lastName: good.slice("shop/".length) });
  await dueNow();
  await runOnce(backups);
  expect(inBucket()).toHaveLength(1);
  expect(inBucket()).not.toContain(good);
});

test("what a killed worker left half sent or half written is removed by the next backup", async () => {
  await newBusiness();
  toBucket();
  const half = backupName("2026-11-01T02:00:00Z", await installId());
  for (const key of ["one", "two", "three"])
    peer.uploads.set(key, { key: `shop/${half}`, parts: new Map() });
  peer.uploads.set("other", { key: "shop/photo.jpg", parts: new Map() });
  await plan();
  await runOnce(backups);
  expect([...peer.uploads.keys()]).toEqual(["other"]);

  toFolder();
  await dueNow();
  await runOnce(backups);
  writeFileSync(path.join(folder, `${half}.part`), "half");
  writeFileSync(path.join(folder, "notes.part"), "of somebody else");
  await dueNow();
  await runOnce(backups);
  expect(inFolder().filter((name) => name.endsWith(".part"))).toEqual(["notes.part"]);
});

test("an install that shares a store leaves the backups and the uploads of the other one, and the list names both", async () => {
  await newBusiness();
  provideEnv({ BACKUP_KEEP: "1" });
  const [one, two, running] = [1, 2, 3].map((day) =>
    backupName(`2026-11-0${day}T02:00:00Z`, THEIRS),
  );
  toBucket();
  for (const name of [one, two]) peer.objects.set(`shop/${name}`, Buffer.from("x"));
  peer.uploads.set("running", { key: `shop/${running}`, parts: new Map() });
  for (let made = 0; made < 2; made++) {
    await plan();
    await dueNow();
    await runOnce(backups);
  }
  const lastName = (await schedule())?.lastName;
  expect(inBucket()).toEqual([one, two, lastName].map((name) => `shop/${name}`));
  expect([...peer.uploads.keys()]).toEqual(["running"]);
  await backupList(["--json"]);
  const listed = JSON.parse(said.texts.join("")) as { install: string | null }[];
  expect(listed.map(({ install }) => install)).toEqual([await installId(), THEIRS, THEIRS]);

  toFolder();
  mkdirSync(folder, { recursive: true });
  for (const name of [one, two, `${running}.part`])
    writeFileSync(path.join(folder, name ?? ""), "x");
  await dueNow();
  await runOnce(backups);
  expect(inFolder()).toEqual(expect.arrayContaining([one, two, `${running}.part`]));
});

test("a key that may not list uploads still makes backups", async () => {
  await newBusiness();
  toBucket();
  peer.failOnce(403, ({ method, query }) => method === "GET" && query.has("uploads"));
  await plan();
  await runOnce(backups);
  expect(inBucket()).toHaveLength(1);
  expect(await schedule()).toMatchObject({ failures: 0, problem: null });
});

test("a worker that lost its claim to another one leaves no backup of its own", async () => {
  await newBusiness();
  toBucket();
  await fill(10);
  await plan();
  const claim = async () => {
    await db.execute(sql`update backup_schedule set fence = fence + 1`);
  };
  let claimed: Promise<void> | undefined;
  peer.onPart = () => {
    claimed ??= claim();
  };
  await runOnce(backups);
  await claimed;
  expect(inBucket()).toEqual([]);
  expect((await schedule())?.lastName).toBeNull();
});

test("a backup that is asked for and lost to another process is refused, and the former one is not called new", async () => {
  await newBusiness();
  toBucket();
  await backupNow([]);
  const [former] = inBucket();
  peer.onPart = async () => {
    await db.execute(sql`update backup_schedule set fence = fence + 1`);
  };
  said.texts = [];
  await expect(backupNow([])).rejects.toThrow(/another process has taken it over/);
  expect([said.texts, inBucket()]).toEqual([[], [former]]);
});

test("a backup that is asked for is made at once, also while the worker waits after a failure", async () => {
  await newBusiness();
  toBucket();
  provideEnv({ BACKUP_S3_SECRET_KEY: "another" });
  await plan();
  await runOnce(backups);
  expect((await schedule())?.problem).toContain("SignatureDoesNotMatch");
  toBucket();
  let during: unknown;
  peer.onPart = async () => {
    during = (await schedule())?.problem;
  };
  await backupNow([]);
  expect(inBucket()).toHaveLength(1);
  // Another command would end its claim otherwise.
  expect(during).toBeNull();
});

test("a worker that stops in the middle leaves the backup to the next one", async () => {
  await newBusiness();
  toBucket();
  await fill(18);
  await plan();
  const { poll, stop } = createRunner(backups);
  const stopping = new Promise<void>((resolve) => {
    peer.onPart = () => resolve(stop());
  });
  await poll("test");
  await stopping;
  expect(inBucket()).toEqual([]);
  expect(await schedule()).toMatchObject({ failures: 0, problem: null });
  peer.onPart = () => undefined;
  expect(await runOnce(backups)).toBe(1);
  expect(inBucket()).toHaveLength(1);
});

test("a store that stalls at the last part keeps the claim, so that no other worker sweeps its upload, and makes the install late after hours", async () => {
  await newBusiness();
  toBucket();
  await plan();
  const [claimed] = await claimOf(dueBackup, "install");
  if (!claimed) throw new Error("nothing is due");
  const [stalled, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  peer.onPart = () => {
    stalled.resolve();
    return goOn.promise;
  };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const made = backUp(claimed, { requestId: "test", stopping: new AbortController().signal });
    await stalled.promise;
    await db.execute(sql`update backup_schedule set leased_until = now()`);
    vi.advanceTimersByTime(15_000);
    await vi.waitFor(async () => expect(await unscopedHaveWork([dueBackup])).toEqual([false]));
    expect(peer.uploads.size).toBe(1);
    await db.execute(sql`update backup_schedule set next_at = now() - interval '7 hours'`);
    const { jobs } = await unscopedWorkHealth([backups], 3);
    expect(jobs).toMatchObject([{ late: true, stuck: [{ tenant: ["install"], tried: true }] }]);
    goOn.resolve();
    await made;
  } finally {
    vi.useRealTimers();
  }
  expect(inBucket()).toHaveLength(1);
});

test("retention keeps the newest backups and everything that is no backup", async () => {
  await newBusiness();
  toBucket();
  provideEnv({ BACKUP_KEEP: "3" });
  const install = await installId();
  const old = [1, 2, 3, 4, 5].map(
    (day) => `shop/${backupName(`2026-10-0${day}T02:00:00Z`, install)}`,
  );
  for (const key of [...old, "shop/notes.txt", "other/kutip.export"])
    peer.objects.set(key, Buffer.from("x"));
  await plan();
  await runOnce(backups);
  const made = `shop/${(await schedule())?.lastName}`;
  expect(inBucket()).toEqual(
    [...old.slice(3), made, "shop/notes.txt", "other/kutip.export"].sort(),
  );
  await backupList([]);
  expect(said.texts.join("").trim().split("\n")[0]).toContain(made.slice("shop/".length));
});

test("the age, the size and the failures are metrics, and are absent where nothing is scheduled", async () => {
  await newBusiness();
  const shown = async (hours: number) => {
    await readFigures(() => performance.now() + hours * 3_600_000);
    return (await metrics.metrics()).split("\n").filter((line) => /^kutip_backup_/.test(line));
  };
  expect(await shown(1)).toEqual([]);
  toFolder();
  await plan();
  expect(await shown(2)).toContain("kutip_backup_age_seconds +Inf");
  await runOnce(backups);
  const lines = await shown(3);
  expect(lines).toContain(`kutip_backup_size_bytes ${(await schedule())?.lastBytes}`);
  expect(lines).toContain("kutip_backup_interval_seconds 86400");
  expect(lines).toContain("kutip_backup_failures 0");
  const age = Number(lines.find((line) => line.startsWith("kutip_backup_age"))?.split(" ")[1]);
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(60);
});
