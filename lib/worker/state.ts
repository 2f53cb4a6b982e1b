import { workKinds } from "@/lib/contract/values";
import type { WorkState } from "@/lib/contract/work";
import type { Ctx } from "@/lib/domain/context";
import { countFailedMails } from "@/lib/domain/mails/rows";
import { countFailedDeliveries } from "@/lib/domain/webhooks/delivery-rows";
import { workWaiting } from "@/lib/jobs/state-rows";
import { unscopedWorkers } from "@/lib/jobs/workers-rows";
import { allJobs } from "./all-jobs";

/** What the install's workers do, and what of this business and mode waits or was tried for the last time. */
export async function workOf(ctx: Ctx): Promise<WorkState> {
  const shown = workKinds.flatMap((kind) => {
    const job = allJobs.jobs.find(({ shownAs }) => shownAs === kind);
    return job ? [{ kind, due: job.shown ?? job.due }] : [];
  });
  const [workers, work, deliveries, mails] = await Promise.all([
    unscopedWorkers(),
    Promise.all(shown.map(async ({ kind, due }) => ({ kind, ...(await workWaiting(ctx, due)) }))),
    countFailedDeliveries(ctx),
    countFailedMails(ctx),
  ]);
  return { workers, work, exhausted: { webhook_deliveries: deliveries, mails } };
}
