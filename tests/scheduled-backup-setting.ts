import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { db } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { planning } from "@/lib/operator/scheduled-backup/job";
import { readSchedule } from "@/lib/worker/backup-rows";
import { ownDatabaseEach } from "./own-database";
import { S3Peer } from "./s3-peer/server";

// Each test makes whole backups, and some restore them on a server of their own.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });

const work = path.join(os.tmpdir(), `kutip-scheduled-${randomUUID()}`);
export const folder = path.join(work, "kept");
export const peer = new S3Peer();
export const KEY = "a passphrase for tests alone";
const ABSENT = { BACKUP_TO: "", BACKUP_KEY: "", BACKUP_KEEP: "", BACKUP_EVERY_HOURS: "" };

/** Gives each test of a file an install of its own without backups. What commands print is collected in `texts`, and their notes in `notes`. */
export function backupsEach(): { texts: string[]; notes: string[] } {
  const said = { texts: [] as string[], notes: [] as string[] };
  ownDatabaseEach();
  beforeAll(async () => {
    mkdirSync(work);
    await peer.start();
  });
  afterAll(async () => {
    provideEnv(ABSENT);
    await peer.stop();
    rmSync(work, { recursive: true, force: true });
  });
  beforeEach(() => {
    said.texts = [];
    said.notes = [];
    vi.spyOn(process.stdout, "write").mockImplementation(
      (text) => said.texts.push(String(text)) > 0,
    );
    vi.spyOn(process.stderr, "write").mockImplementation(
      (text) => said.notes.push(String(text)) > 0,
    );
    rmSync(folder, { recursive: true, force: true });
    peer.objects.clear();
    peer.uploads.clear();
    peer.refusals.length = 0;
    peer.onPart = () => undefined;
    provideEnv({ ...ABSENT, KUTIP_DATA_DIR: path.join(work, "none") });
  });
  afterEach(() => vi.restoreAllMocks());
  return said;
}

export const toFolder = () => provideEnv({ BACKUP_TO: folder, BACKUP_KEY: KEY });
export const toBucket = () => provideEnv({ ...peer.settings("shop/"), BACKUP_KEY: KEY });
export const inFolder = () => readdirSync(folder).sort();
export const inBucket = () => [...peer.objects.keys()].sort();
export const plan = () => planning.run("test");
export const schedule = async () => (await readSchedule()).schedule;
export const dueNow = () =>
  db.execute(sql`update backup_schedule set next_at = now(), leased_until = null`);
