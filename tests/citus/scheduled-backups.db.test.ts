import { expect, test, vi } from "vitest";
import { isDistributed } from "@/db/distributed";
import { backupNow } from "@/lib/operator/backups";
import { doctor } from "@/lib/operator/doctor";
import { backups } from "@/lib/operator/scheduled-backup/job";
import { planBackup, readSchedule } from "@/lib/worker/backup-rows";
import { newBusiness } from "../money/stripe-setting";
import { runOnce } from "../run-once";
import { backupsEach, inFolder, plan, schedule, toFolder } from "../scheduled-backup-setting";

vi.mock(import("@/db/distributed"), { spy: true });

const said = backupsEach();
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
    expect(await doctor([])).toBe(1);
    expect(said.texts.filter((line) => line.startsWith("bad "))).toEqual([
      expect.stringMatching(NOT_OF_SEVERAL),
    ]);
  },
);
