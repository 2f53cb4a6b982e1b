import { existsSync } from "node:fs";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { db } from "@/db/client";
import { isDistributed } from "@/db/distributed";
import { removeProcess, writeProcess } from "@/db/processes";
import { newId } from "@/lib/kernel/ids";
import { backup } from "@/lib/operator/backup";
import { backupNow } from "@/lib/operator/backups";
import { doctor } from "@/lib/operator/doctor";
import { backups } from "@/lib/operator/scheduled-backup/job";
import { exportInstall } from "@/lib/operator/transfer";
import { planBackup, readSchedule } from "@/lib/worker/backup-rows";
import { newBusiness } from "../money/stripe-setting";
import { runOnce } from "../run-once";
import {
  backupsEach,
  folder,
  inFolder,
  plan,
  schedule,
  toFolder,
} from "../scheduled-backup-setting";

vi.mock(import("@/db/distributed"), { spy: true });

const said = backupsEach();
afterEach(() => {
  vi.mocked(isDistributed).mockReset();
});
const NOT_OF_SEVERAL = /several servers.*docs\/operations\/citus\.md/;

test.skipIf(process.env.TEST_CITUS_URL)(
  "an install that is spread over several servers has no scheduled backups, and each place says so",
  async () => {
    toFolder();
    await newBusiness();
    await plan();
    await runOnce(backups);
    const before = inFolder();
    expect(before).toHaveLength(1);
    // From here on the server says what a coordinator would.
    vi.mocked(isDistributed).mockResolvedValue(true);
    await planBackup((await readSchedule()).now);
    await runOnce(backups);
    expect((await schedule())?.nextAt).toBeNull();
    await plan();
    expect((await schedule())?.nextAt).toBeNull();
    await expect(backupNow([])).rejects.toThrow(NOT_OF_SEVERAL);
    expect(inFolder()).toEqual(before);
    // The servers count their transactions apart.
    await db.execute(sql`update events set xid = '4000000000'`);
    expect(await doctor([])).toBe(1);
    expect(said.texts.filter((line) => line.startsWith("bad "))).toEqual([
      expect.stringMatching(NOT_OF_SEVERAL),
    ]);
  },
);

test.skipIf(process.env.TEST_CITUS_URL)(
  "of an install on several servers no backup is written, and an export only while no other process writes",
  async () => {
    await newBusiness();
    vi.mocked(isDistributed).mockResolvedValue(true);
    const file = path.join(folder, "..", "copy");
    await expect(backup([file])).rejects.toThrow(NOT_OF_SEVERAL);
    const id = newId();
    await writeProcess(db, {
      id,
      kind: "web",
      pid: 1,
      host: "elsewhere",
      keys: [],
      sealsWith: "",
    });
    await expect(exportInstall([file])).rejects.toThrow(/web process 1 on elsewhere/);
    expect(existsSync(file)).toBe(false);
    await removeProcess(id);
    await exportInstall([file]);
    expect(existsSync(file)).toBe(true);
  },
);
