import { eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import { db, type Tx } from "@/db/client";
import { owned } from "@/db/owned";
import { inOrder, setwise } from "@/db/sets";
import { businesses } from "@/db/schema/businesses";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { Due } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";
import { defaultInEffect } from "./default-rows";
import { anyOf, linkNow, live, type LinkRow, payable } from "./rows";

/** When payers are reminded, in the business's time zone. */
const MORNING = sql.raw("time '09:00'");

type Schedule = {
  reminders: SQL;
  created: SQL;
  due: SQL;
  zone: SQL;
  /** The keys of those that are not sent any more. */
  done: SQL;
};

const morningOf = (day: SQL, zone: SQL) => sql`((${day} + ${MORNING}) at time zone ${zone})`;

/** The reminders of a schedule that may still be sent, as a table `open` of key and morning. A due date that changes gives its reminders new keys. */
const openReminders = ({ reminders, created, due, zone, done }: Schedule) => sql`(
  select concat_ws(' ', entry.relative_to, entry.days, moment.key) as key, ${morningOf(sql`(moment.base at time zone ${zone})::date + entry.days`, zone)} as morning
  from jsonb_to_recordset(${reminders}) as entry(relative_to text, days integer), lateral (
    select case when entry.relative_to = 'due_at' then ${due} else ${created} end as base,
      case when entry.relative_to = 'due_at' then extract(epoch from ${due}) end as key
  ) as moment
) as open where open.morning > ${created} and open.key <> all(coalesce(${done}, '{}'))`;

/** SQL: the next morning of a schedule after a moment, null without one. */
export const nextReminder = ({ after, ...schedule }: Schedule & { after: SQL }): SQL =>
  sql`(select min(open.morning) from ${openReminders(schedule)} and open.morning > ${after})`;

/** A link's own schedule, or else the default that is in effect for it. */
const ofLink: Schedule = {
  reminders: sql`coalesce(${links.reminders}, ${defaultInEffect})`,
  created: sql`${links.createdAt}`,
  due: sql`${links.dueAt}`,
  zone: sql`${businesses.timeZone}`,
  done: sql`${links.remindersDone}`,
};

/** What is planned. A link of a test clock has its default again once it is on: while it is off, its mornings pass without a mail. */
const planned: Schedule = {
  ...ofLink,
  reminders: sql`coalesce(${links.reminders}, case when ${links.testClockId} is not null then ${links.defaultReminders} end, ${defaultInEffect})`,
};

/** Plans the next reminder of a locked link; those of earlier mornings are not sent any more. */
export const planReminders = setwise<Ctx, string, void>(async (ctx, on, ids) => {
  await on.execute(sql`
    update ${links} set next_reminder_at = ${nextReminder({ ...planned, after: linkNow })},
      reminders_done = ${links.remindersDone} || (select array_agg(open.key) from ${openReminders(planned)} and open.morning <= ${linkNow})
    from ${businesses} where ${businesses.id} = ${links.businessId} and ${owned(ctx, links, inArray(links.id, [...ids]))}`);
  return [];
});

/** Plans the reminders of a changed link anew where the change may move them. */
export async function replanReminders(
  ctx: Ctx,
  tx: Tx,
  before: LinkRow,
  after: LinkRow,
): Promise<void> {
  const moved =
    before.dueAt !== after.dueAt ||
    JSON.stringify(before.reminders) !== JSON.stringify(after.reminders) ||
    (before.status !== "Active" && after.status === "Active");
  const any = before.nextReminderAt ?? after.reminders ?? after.defaultReminders;
  if (moved && any !== null) await planReminders(ctx, tx, after.id);
}

/** Locks those of the links that have a default of the settings. */
export async function lockWithDefault(ctx: Ctx, tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx
    .select({ id: links.id })
    .from(links)
    .where(owned(ctx, links, anyOf(ids), isNotNull(links.defaultReminders)))
    // By id, as all who lock several links do: another order could deadlock.
    .orderBy(links.id)
    .for("no key update");
  return rows.map(({ id }) => id);
}

/** Takes the default of the settings away from locked links. Those with a schedule of their own keep that. */
export async function withdrawDefault(ctx: Ctx, tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    update ${links} set default_reminders = null, next_reminder_at = case when ${links.reminders} is not null then ${links.nextReminderAt} end
    where ${owned(ctx, links, anyOf(ids))}`);
}

/** How many of these links are open and have reminders to come. */
export const countReminded = (ctx: Ctx, ids: readonly string[]): Promise<number> =>
  db.$count(
    links,
    owned(
      ctx,
      links,
      live,
      anyOf(ids),
      eq(links.status, "Active"),
      isNotNull(links.nextReminderAt),
    ),
  );

/** How many links a new time zone makes due at once: the others wait for the moment of the old zone. */
const REPLANNED_AT_ONCE = 5_000;

/** Makes the next reminders of a business due, so that the job plans them in its new time zone. */
export async function replanForZone({ businessId }: Ctx, tx: Tx): Promise<void> {
  // Locked by id, as all who lock several links do: another order could deadlock.
  await tx.execute(sql`
    with soon as (
      select id from ${links} where business_id = ${businessId} and status = 'Active' and next_reminder_at > now()
        and test_clock_id is null and deleted_at is null order by next_reminder_at limit ${REPLANNED_AT_ONCE}
    ), locked as (
      select id from ${links} where business_id = ${businessId} and id in (select soon.id from soon) and next_reminder_at > now()
      order by id for no key update
    )
    update ${links} set next_reminder_at = now() from locked where ${links.businessId} = ${businessId} and ${links.id} = locked.id`);
}

/**
 * What is known about the reminder of a link. `due`: its morning has come. `morning`: that of today, while it is earlier; that of tomorrow after
 * noon, where the reminder was planned in an earlier time zone of the business.
 */
export type ReminderFacts = { id: string; due: boolean; payable: boolean; morning: string | null };

/** What is known about the reminders of locked links. */
export const reminderFacts = setwise<Ctx, string, ReminderFacts | undefined>(
  async (ctx, on, ids) => {
    const local = sql`(${linkNow} at time zone ${ofLink.zone})`;
    const [today, tomorrow] = [0, 1].map((days) =>
      morningOf(sql`(${local}::date + ${days}::int)`, ofLink.zone),
    );
    const elsewhere = sql`(${links.nextReminderAt} at time zone ${ofLink.zone})::time <> ${MORNING}`;
    const rows = await on
      .select({
        id: links.id,
        payable,
        due: sql<boolean>`exists (select 1 from ${openReminders(ofLink)} and open.morning <= ${linkNow})`,
        morning: sql<
          string | null
        >`case when ${linkNow} < ${today} then ${today} when ${local}::time >= time '12:00' and ${elsewhere} then ${tomorrow} end`,
      })
      .from(links)
      .innerJoin(businesses, eq(businesses.id, links.businessId))
      .where(owned(ctx, links, inArray(links.id, [...ids])));
    return inOrder(ids, rows, String, ({ id }) => id);
  },
);

/** Puts the reminder of a locked link off until later. */
export const postponeReminder = setwise<Ctx, { id: string; until: string }, void>(
  async (ctx, on, list) => {
    await on.execute(sql`
      update ${links} set next_reminder_at = given.until from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as given(id text, until timestamptz)
      where ${links.id} = given.id and ${owned(ctx, links)}`);
    return [];
  },
);

/** Open links with a reminder to send by the real clock, unless a payer is at the gateway now. */
export const dueReminders: Due<typeof links> = {
  table: links,
  fairBy: [links.businessId],
  moment: links.nextReminderAt,
  where: sql`${links.status} = 'Active' and ${links.nextReminderAt} is not null and ${links.testClockId} is null and ${links.deletedAt} is null and ${links.openPaymentId} is null`,
};
