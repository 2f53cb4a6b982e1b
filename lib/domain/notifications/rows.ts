import { and, eq, getTableColumns, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { isoSql } from "@/db/columns";
import { beginOfDay } from "@/db/days";
import { users } from "@/db/schema/auth";
import { businesses, memberships } from "@/db/schema/businesses";
import { notifications, notificationSettings as settings } from "@/db/schema/notifications";
import { type NotificationChannel, notificationChannels } from "@/lib/contract/values";
import type { Due, Row } from "@/lib/jobs/claim-rows";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";

export type SettingsRow = typeof settings.$inferSelect;
export type NotificationRow = typeof notifications.$inferSelect;

/** The pause between two messages to a member. The later one holds what happened in between. */
const SPACING_SECONDS: Readonly<Record<NotificationChannel, number>> = { mail: 60, chat: 5 };
/** How many events one message is about. */
const MAX_EVENTS = 1_000;
/** The hour of the business's morning. */
const SUMMARY_TIME = "08:00";

const member = (businessId: number, userId: string) =>
  and(eq(settings.businessId, businessId), eq(settings.userId, userId));

export async function findSettings(
  { businessId }: Ctx,
  userId: string,
  on: Executor = db,
): Promise<SettingsRow | undefined> {
  const [row] = await on.select().from(settings).where(member(businessId, userId));
  return row;
}

/** SQL for the first morning in a zone after a moment, as a moment. */
function nextMorning(timeZone: SQL, after: SQL = sql`now()`): SQL {
  const local = sql`(${after} at time zone ${timeZone})`;
  const days = sql`case when ${local}::time < ${SUMMARY_TIME}::time then 0 else 1 end`;
  return sql`(${local}::date + ${days} + ${SUMMARY_TIME}::time) at time zone ${timeZone}`;
}
const zoneOf = (businessId: number | typeof settings.businessId) =>
  sql`(select ${businesses.timeZone} from ${businesses} where ${businesses.id} = ${businessId})`;

/** The next morning of a business. */
async function morningOf(businessId: number, on: Executor): Promise<string> {
  const [row] = await on
    .select({ morning: isoSql(nextMorning(sql`${businesses.timeZone}`)) })
    .from(businesses)
    .where(eq(businesses.id, businessId));
  if (!row) throw new Error("the business is gone");
  return row.morning;
}

export type Choice = Pick<SettingsRow, NotificationChannel> &
  Partial<Pick<SettingsRow, "chatUrl" | "chatOff" | "chatProblem">>;

/** Writes a member's choice. Columns that it leaves out stay as they are. */
export async function putSettings(
  { businessId }: Ctx,
  tx: Tx,
  userId: string,
  choice: Choice,
): Promise<SettingsRow> {
  const daily = [...choice.mail, ...choice.chat].includes("daily");
  const morning = daily ? await morningOf(businessId, tx) : null;
  const [row] = await tx
    .insert(settings)
    .values({ businessId, userId, ...choice, dailyDueAt: morning })
    .onConflictDoUpdate({
      target: [settings.businessId, settings.userId],
      set: {
        ...choice,
        dailyDueAt: daily ? sql`coalesce(${settings.dailyDueAt}, excluded.daily_due_at)` : null,
        updatedAt: sql`excluded.updated_at`,
      },
    })
    .returning();
  if (!row) throw new Error("the notification settings were not written");
  return row;
}

/** Plans the daily summaries of a business in its new time zone, each of the day that it was planned for. */
export async function replanSummaries(
  { businessId }: Ctx,
  tx: Tx,
  formerZone: string,
): Promise<void> {
  const date = sql`(${settings.dailyDueAt} at time zone ${formerZone}::text)::date`;
  await tx
    .update(settings)
    .set({
      dailyDueAt:
        sql`(${date} + ${SUMMARY_TIME}::time) at time zone ${zoneOf(businessId)}` as never,
    })
    .where(and(eq(settings.businessId, businessId), isNotNull(settings.dailyDueAt)));
}

/** Keeps what became of the last chat message, unless the address has changed since. */
export async function noteChat(
  { businessId }: Ctx,
  { userId, chatUrl }: Pick<SettingsRow, "userId" | "chatUrl">,
  note: Pick<SettingsRow, "chatOff" | "chatProblem">,
): Promise<void> {
  await db
    .update(settings)
    .set(note)
    .where(
      and(
        member(businessId, userId),
        sql`${settings.chatUrl} = ${chatUrl} and (${settings.chatOff}, ${settings.chatProblem}) is distinct from (${note.chatOff}, ${note.chatProblem}::text)`,
      ),
    );
}

/** The members of a business with a choice. */
export async function unscopedChoices(tx: Tx, businessId: number): Promise<SettingsRow[]> {
  return tx
    .select()
    .from(settings)
    .where(eq(settings.businessId, businessId))
    .orderBy(settings.userId);
}

/** Adds events to the message that waits for a member, or makes one. */
export async function unscopedQueue(
  tx: Tx,
  { businessId, userId }: Pick<SettingsRow, "businessId" | "userId">,
  channel: NotificationChannel,
  eventIds: readonly string[],
): Promise<void> {
  const ids = sql`${sql.param([...eventIds])}::text[]`;
  const of = sql`business_id = ${businessId} and user_id = ${userId} and channel = ${channel}`;
  // A message that a worker has is not changed: it may be under way. One that waits for another try takes more events.
  await tx.execute(sql`
    with waiting as (
      select id from ${notifications} where ${of} and status = 'queued' and day is null and leased_until is null
        and cardinality(event_ids) + cardinality(${ids}) <= ${MAX_EVENTS} order by created_at desc limit 1 for update
    ), added as (
      update ${notifications} n set event_ids = n.event_ids || ${ids} from waiting
      where n.business_id = ${businessId} and n.id = waiting.id returning n.id
    )
    insert into ${notifications} (business_id, id, user_id, channel, event_ids, next_try_at)
    select ${businessId}, ${newId()}, ${userId}, ${channel}, ${ids}, greatest(now(), (
      select max(coalesce(sent_at, next_try_at)) + make_interval(secs => ${SPACING_SECONDS[channel]}) from ${notifications}
      where ${of} and (sent_at > now() - interval '1 hour' or (status = 'queued' and tries = 0))))
    where not exists (select 1 from added)`);
}

/** Members with a daily summary that is due. */
export const dueSummaries: Due<typeof settings> = {
  table: settings,
  fairBy: [settings.businessId],
  moment: settings.dailyDueAt,
  where: sql`${settings.dailyDueAt} is not null`,
};

/**
 * Queues the summary of the day before the moment that is due, once for each channel that asks for one, and plans the next. A change of the zone
 * may have moved that moment since the row was claimed.
 */
export async function unscopedQueueSummary(tx: Tx, row: Row<typeof settings>): Promise<void> {
  const { businessId, userId } = row;
  const zone = zoneOf(businessId);
  const today = sql`(${settings.dailyDueAt} at time zone ${zone})::date`;
  const due = sql`${member(businessId, userId)} and ${settings.dailyDueAt} <= now()`;
  for (const channel of notificationChannels)
    if (row[channel].includes("daily"))
      await tx.execute(sql`
        insert into ${notifications} (business_id, id, user_id, channel, day, day_ends_at, next_try_at)
        select ${settings.businessId}, ${newId()}, ${settings.userId}, ${channel}, ${today} - 1, ${beginOfDay(sql`${today}::timestamp`, zone)}, now()
        from ${settings} where ${due} on conflict do nothing`);
  await tx
    .update(settings)
    .set({ dailyDueAt: nextMorning(zone, sql`${settings.dailyDueAt}`) as never })
    .where(due);
}

/** When the summary of the day before ended, of the same member and channel; null without one. */
export async function unscopedEndBefore(
  { businessId, userId, channel }: NotificationRow,
  day: string,
): Promise<string | null> {
  const [before] = await db
    .select({ end: notifications.dayEndsAt })
    .from(notifications)
    .where(
      and(
        eq(notifications.businessId, businessId),
        eq(notifications.userId, userId),
        eq(notifications.channel, channel),
        sql`${notifications.day} = ${day}::date - 1`,
      ),
    );
  return before?.end ?? null;
}

/** Messages that wait to be sent. */
export const dueNotifications: Due<typeof notifications> = {
  table: notifications,
  fairBy: [notifications.businessId],
  moment: notifications.nextTryAt,
  where: sql`${notifications.nextTryAt} is not null`,
};

export type Recipient = SettingsRow & {
  email: string;
  emailVerified: boolean;
  joinedByLink: boolean;
  businessName: string;
  timeZone: string;
};

/** A member with their choice as it is now; undefined once the membership has ended. */
export async function unscopedRecipient(
  businessId: number,
  userId: string,
): Promise<Recipient | undefined> {
  const [row] = await db
    .select({
      ...getTableColumns(settings),
      email: users.email,
      emailVerified: users.emailVerified,
      joinedByLink: memberships.joinedByLink,
      businessName: businesses.name,
      timeZone: businesses.timeZone,
    })
    .from(settings)
    .innerJoin(
      memberships,
      and(eq(memberships.businessId, settings.businessId), eq(memberships.userId, settings.userId)),
    )
    .innerJoin(users, eq(users.id, settings.userId))
    .innerJoin(businesses, eq(businesses.id, settings.businessId))
    .where(member(businessId, userId));
  return row;
}

export type Outcome = {
  status: NotificationRow["status"];
  error: string | null;
  /** Until the next try; null when the message is done. */
  seconds: number | null;
};

/** Writes what became of a try, under the claim that it was made with. A second time it changes nothing more. */
export async function unscopedFinish(
  { businessId, id, fence, tries }: NotificationRow,
  { status, error, seconds }: Outcome,
): Promise<void> {
  await db
    .update(notifications)
    .set({
      status,
      error,
      tries: tries + 1,
      leasedBy: null,
      leasedUntil: null,
      nextTryAt: seconds === null ? null : sql`now() + make_interval(secs => ${seconds})`,
      ...(status === "sent" ? { sentAt: sql`now()` as never } : {}),
    })
    .where(
      and(
        eq(notifications.businessId, businessId),
        eq(notifications.id, id),
        eq(notifications.fence, fence),
      ),
    );
}

const PURGED_AT_ONCE = 5_000;

/** Deletes messages that are older than so many days and wait for nothing. Returns how many. */
export async function unscopedForgetNotifications(days: number): Promise<number> {
  const old = db
    .select({ businessId: notifications.businessId, id: notifications.id })
    .from(notifications)
    .where(
      and(
        lt(notifications.createdAt, sql`now() - make_interval(days => ${days})`),
        sql`${notifications.nextTryAt} is null`,
      ),
    )
    .limit(PURGED_AT_ONCE);
  const gone = await db
    .delete(notifications)
    .where(sql`(${notifications.businessId}, ${notifications.id}) in ${old}`);
  return gone.rowCount ?? 0;
}
