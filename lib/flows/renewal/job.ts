import { defineConsumer } from "@/lib/domain/events/consume";
import { queuedEvents } from "@/lib/domain/events/queue-rows";
import { settleVoid } from "@/lib/domain/subscriptions/follow-rows";
import { duePeriods } from "@/lib/domain/subscriptions/period-rows";
import { systemCtx } from "@/lib/domain/context";
import { defineJob } from "@/lib/jobs/define";
import { about, enqueue } from "./enqueue";
import { flagUnneeded } from "./flag";
import { runPeriods } from "./steps";
import { runUnderClocks } from "./under-clock";

/** Makes periods due when their payment, link or saved method has news. Those of a test clock run at once, as of its time. */
export const outcomes = defineConsumer({
  name: "follow outcomes",
  consumer: "subscriptions",
  batch: 50,
  consume: async (tx, queued, requestId) => {
    const [first] = queued;
    if (!first) return [];
    const { businessId } = first;
    const events = await queuedEvents(tx, queued);
    const due = await enqueue(tx, businessId, events, requestId);
    const payments = about(events, "payment.succeeded", "payment.failed");
    await settleVoid(tx, businessId, payments);
    await flagUnneeded(tx, businessId, payments, requestId);
    return due.filter((period) => period.testClockId !== null);
  },
  afterwards: { isDone: (periods) => periods.length === 0, run: runUnderClocks },
});

/** Charges the periods that are due by the real clock, those with news before new ones. */
export const renewal = defineJob({
  name: "charge subscriptions",
  due: duePeriods,
  leaseSeconds: 70,
  backOffSeconds: [30, 900],
  shownAs: "charges",
  // As many charges are at the gateway at a time.
  batch: 16,
  perTenant: 2,
  work: async (rows, { requestId }) => {
    for (const [mode, periods] of Map.groupBy(rows, (period) => period.mode)) {
      const { businessId } = periods[0] as (typeof periods)[number];
      await runPeriods(systemCtx({ businessId, mode }, { kind: "clock" }, requestId), periods);
    }
  },
});
