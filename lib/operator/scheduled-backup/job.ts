import { defineJob, defineTask } from "@/lib/jobs/define";
import { dueBackup } from "@/lib/worker/backup-rows";
import { backUp, LEASE_SECONDS, plan } from "./steps";

const LATE_AFTER_SECONDS = 6 * 3_600;

export const planning = defineTask({ name: "plan backups", everyMs: 60_000, run: plan });

export const backups = defineJob({
  name: "back up",
  due: dueBackup,
  perTenant: 1,
  leaseSeconds: LEASE_SECONDS,
  // A worker that stops leaves the backup to another one, at once.
  repeats: true,
  backOffSeconds: [60, 3_600],
  lateAfterSeconds: LATE_AFTER_SECONDS,
  ofInstall: true,
  work: async ([claimed], call) => {
    if (claimed) await backUp(claimed, call);
  },
});
