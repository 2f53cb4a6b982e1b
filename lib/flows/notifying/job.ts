import { withTransaction } from "@/db/client";
import { notificationSettings } from "@/db/schema/notifications";
import { defineConsumer } from "@/lib/domain/events/consume";
import {
  dueNotifications,
  dueSummaries,
  unscopedQueueSummary,
} from "@/lib/domain/notifications/rows";
import { env } from "@/lib/env";
import { assertHeld } from "@/lib/jobs/claim-rows";
import { defineJob } from "@/lib/jobs/define";
import { createMailTransport } from "@/lib/mail/transport";
import { createSender } from "../webhook-delivery/sender";
import { type Channels, queueNotifications, sendNotification } from "./steps";

/** Queues events for the members that chose them. The trigger leaves out events of businesses where no member did. */
export const notificationFanOut = defineConsumer({
  name: "queue notifications",
  consumer: "notifications",
  batch: 200,
  consume: queueNotifications,
});

/** Queues the daily summaries in the morning of each business, also those of mornings on which no worker ran. */
export const dailySummaries = defineJob({
  name: "queue daily summaries",
  due: dueSummaries,
  repeats: true,
  work: ([row]) =>
    withTransaction(async (tx) => {
      if (!row) return;
      await assertHeld(tx, notificationSettings, [row]);
      await unscopedQueueSummary(tx, row);
    }),
});

/** Sends what is due, by these channels or else by those of the settings. */
export function defineNotificationSending(given?: Channels) {
  let channels = given;
  return defineJob({
    name: "send notifications",
    due: dueNotifications,
    work: async ([row]) => {
      channels ??= {
        mail: createMailTransport(env.SMTP_URL ?? null),
        chat: createSender({ allowPrivate: env.WEBHOOK_ALLOW_PRIVATE }),
      };
      if (row) await sendNotification(channels, row);
    },
    close: () => {
      channels?.mail.close();
      channels?.chat.close();
    },
  });
}

export const notificationSending = defineNotificationSending();
