import { longWork } from "@/db/client";
import { dropOldPartitions, keepPartitions } from "@/db/partitions";
import { env } from "@/lib/env";
import { webhookLimits } from "@/lib/contract/values";
import { unscopedForgetItems } from "@/lib/domain/batches/rows";
import { unscopedForgetCallbacks } from "@/lib/domain/integrations/callback-rows";
import { forgetOldCounts } from "@/lib/domain/limits/rows";
import { unscopedForgetNotifications } from "@/lib/domain/notifications/rows";
import { unscopedPurgeKeys } from "@/lib/domain/idempotency/rows";
import { unscopedPurgeRequests } from "@/lib/domain/request-log/rows";
import { unscopedSweepOffers } from "@/lib/domain/team/rows";
import { unscopedSweepSignIns } from "@/lib/domain/users/rows";
import { unscopedPurgeDeliveries, unscopedStopStranded } from "@/lib/domain/webhooks/delivery-rows";
import { defineTask } from "@/lib/jobs/define";
import { foldCounts } from "@/db/list-counts";

const CALLBACK_DAYS = 60;
const NOTIFICATION_DAYS = 30;

const hourly = (name: string, work: () => Promise<number>) =>
  defineTask({ name, everyMs: 3_600_000, run: () => longWork(work) });

export const partitions = hourly("keep partitions", keepPartitions);
export const oldEvents = hourly("drop old events", () =>
  dropOldPartitions("events", env.EVENT_DAYS),
);
export const oldMails = hourly("drop old mails", () => dropOldPartitions("mails", env.MAIL_DAYS));
export const strandedWebhooks = defineTask({
  name: "stop stranded webhooks",
  everyMs: 60_000,
  run: () => unscopedStopStranded(),
});
export const oldSignIns = hourly("forget old sign-ins", async () => {
  return (await unscopedSweepSignIns()) + (await unscopedSweepOffers());
});
export const oldRequests = hourly("forget old requests", unscopedPurgeRequests);
export const oldDeliveries = hourly("forget old deliveries", () =>
  unscopedPurgeDeliveries(webhookLimits.keptDays),
);
export const oldCallbacks = hourly("forget old shop callbacks", () =>
  unscopedForgetCallbacks(CALLBACK_DAYS),
);
export const oldNotifications = hourly("forget old notifications", () =>
  unscopedForgetNotifications(NOTIFICATION_DAYS),
);
export const oldBatches = hourly("forget links of old batches", () => unscopedForgetItems());
export const oldLimits = hourly("forget old limits", forgetOldCounts);
export const oldKeys = hourly("forget idempotency keys", () => unscopedPurgeKeys());

export const countFolding = defineTask({
  name: "fold counts",
  everyMs: 5_000,
  run: foldCounts,
});
