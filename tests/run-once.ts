import { type ClaimableTable, type Due, type Row, unscopedClaim } from "@/lib/jobs/claim-rows";
import type { Job } from "@/lib/jobs/define";
import { unscopedDueTenants } from "@/lib/jobs/look-rows";
import { createRunner } from "@/lib/jobs/runner";

/** One round of a job, to its end; of one business (or account) when given. Returns how many rows it claimed. */
export async function runOnce<T extends ClaimableTable>(
  job: Job<T>,
  only?: number | string,
): Promise<number> {
  const { poll, drain } = createRunner(job, only === undefined ? {} : { only });
  const claimed = await poll("test");
  await drain();
  return claimed;
}

/** Rounds of a job until nothing is due. Returns how many rows it claimed. */
export async function runAll<T extends ClaimableTable>(
  job: Job<T>,
  only?: number | string,
): Promise<number> {
  for (let all = 0; ; ) {
    const claimed = await runOnce(job, only);
    if (claimed === 0) return all;
    all += claimed;
  }
}

/** Claims everything that is due of a business, as a worker would. */
export async function claimOf<T extends ClaimableTable>(
  due: Due<T>,
  only: number | string,
): Promise<Row<T>[]> {
  const { tenants } = await unscopedDueTenants(due, undefined, only);
  const shares = tenants.map((tenant) => ({ tenant, room: 1_000, busy: 0 }));
  return unscopedClaim(due, shares, { limit: 1_000, worker: null, leaseSeconds: 60 });
}
