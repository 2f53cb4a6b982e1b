import { db, type Tx, withTransaction } from "@/db/client";
import { notificationChannels } from "@/lib/contract/values";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { queuedEvents, type QueuedEvent } from "@/lib/domain/events/queue-rows";
import {
  chatMessage,
  dailyMessage,
  type Message,
  messageOf,
  withMore,
} from "@/lib/domain/notifications/compose";
import {
  dueNotifications,
  type NotificationRow,
  type Recipient,
  unscopedChoices,
  unscopedEndBefore,
  unscopedFinish,
  noteChat,
  unscopedQueue,
  unscopedRecipient,
} from "@/lib/domain/notifications/rows";
import { kindsOf } from "@/lib/domain/notifications/rules";
import { chatUrlOf } from "@/lib/domain/notifications/settings";
import { sumsOfDay } from "@/lib/domain/overview/rows";
import { getAll } from "@/lib/domain/payments/get";
import { env } from "@/lib/env";
import { assertHeld } from "@/lib/jobs/claim-rows";
import { writeOutcome } from "@/lib/jobs/outcome";
import { renderNotificationMail } from "@/lib/mail/templates/notification-mail";
import type { MailTransport } from "@/lib/mail/transport";
import type { Sender } from "../webhook-delivery/sender";
import { decide, ofChat, ofMail, problemOf, statusOf, type Try } from "./decide";

/** Queues events of one business for the members that chose them, in the transaction that consumes them. */
export async function queueNotifications(tx: Tx, rows: readonly QueuedEvent[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const events = (await queuedEvents(tx, rows)).map((event) => ({
    id: event.id,
    kinds: kindsOf(event),
  }));
  for (const choice of await unscopedChoices(tx, first.businessId))
    for (const channel of notificationChannels) {
      if (channel === "chat" && (choice.chatOff || choice.chatUrl === null)) continue;
      const wanted = events.filter(({ kinds }) =>
        kinds.some((kind) => choice[channel].includes(kind)),
      );
      const ids = wanted.map(({ id }) => id);
      if (ids.length > 0) await unscopedQueue(tx, choice, channel, ids);
    }
}

export type Channels = { mail: MailTransport; chat: Sender };

/** Sends a message to a member as they are now, or plans its next try. Nothing is sent after the membership has ended. */
export async function sendNotification(channels: Channels, row: NotificationRow): Promise<void> {
  const recipient = await unscopedRecipient(row.businessId, row.userId);
  const { businessId } = row;
  const ctx = systemCtx({ businessId, mode: "live" }, { kind: "clock" }, row.id);
  const message =
    recipient && mayGet(recipient, row) ? await compose(ctx, recipient, row) : undefined;
  if (!recipient || !message)
    return unscopedFinish(row, { status: "dropped", error: null, seconds: null });
  // A worker that stalled must not send what another has sent meanwhile.
  await withTransaction((tx) => assertHeld(tx, dueNotifications.table, [row]));
  const decision = decide(await send(channels, recipient, row, message), row.tries);
  await writeOutcome(() =>
    unscopedFinish(row, {
      status: statusOf(decision),
      error: "error" in decision ? decision.error : null,
      seconds: decision.kind === "retry" ? decision.seconds : null,
    }),
  );
  if (row.channel === "chat" && decision.kind !== "retry")
    await noteChat(ctx, recipient, {
      chatOff: decision.kind === "off",
      chatProblem: problemOf(decision),
    });
}

/** A mail goes to a confirmed address only. A member who joined by a copied link may read the business before that. */
const mayGet = (who: Recipient, { channel }: NotificationRow): boolean =>
  channel === "mail"
    ? who.emailVerified
    : (who.emailVerified || who.joinedByLink) && who.chatUrl !== null && !who.chatOff;

/** The text is made now: it leaves out an erased payer and kinds that are no longer wanted. */
async function compose(
  ctx: Ctx,
  who: Recipient,
  row: NotificationRow,
): Promise<Message | undefined> {
  const { businessId, day } = row;
  const wanted = who[row.channel];
  if (day !== null) {
    if (!wanted.includes("daily")) return undefined;
    const begins = await unscopedEndBefore(row, day);
    const of = { day, timeZone: who.timeZone, begins, ends: row.dayEndsAt };
    const [collected, failed] = await Promise.all([
      sumsOfDay(ctx, "collected", of),
      sumsOfDay(ctx, "failed", of),
    ]);
    return dailyMessage(day, collected, failed);
  }
  const events = await queuedEvents(
    db,
    row.eventIds.map((eventId) => ({ businessId, eventId })),
  );
  const payments = await getAll(ctx, [...new Set(events.map(({ objectId }) => objectId))]);
  const byId = new Map(payments.map((payment) => [payment._id, payment]));
  return messageOf(
    events.flatMap((event) => {
      const payment = byId.get(event.objectId);
      const isWanted = kindsOf(event).some((kind) => wanted.includes(kind));
      return payment && isWanted ? { type: event.type, data: event.data, payment } : [];
    }),
  );
}

async function send(
  { mail, chat }: Channels,
  who: Recipient,
  row: NotificationRow,
  message: Message,
): Promise<Try> {
  const address = `${env.BASE_URL}/b/${row.businessId}/live${message.place}`;
  const url = row.channel === "chat" ? chatUrlOf(who) : null;
  if (url !== null) {
    const text = chatMessage(who.businessName, message, address);
    return ofChat(await chat.post(url, {}, JSON.stringify({ text })));
  }
  const { heading } = message;
  const lines = withMore(message.lines, message.more);
  return ofMail(
    await mail.send({
      from: env.MAIL_FROM,
      to: { address: who.email },
      ...renderNotificationMail({ businessName: who.businessName, heading, lines, address }),
      // The same at each try, so that a mailbox can drop a copy; another once events were added, or it would drop those too.
      messageId: `<${row.id}.${row.eventIds.length}@${new URL(env.BASE_URL).hostname}>`,
    }),
  );
}
