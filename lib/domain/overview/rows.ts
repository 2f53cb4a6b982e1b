import { eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { isoSql } from "@/db/columns";
import { beginOfDay } from "@/db/days";
import { beginOf } from "@/db/list-counts";
import { owned } from "@/db/owned";
import { apiKeys, memberships } from "@/db/schema/businesses";
import {
  paymentLinkCounts as counts,
  paymentLinkStages as stages,
  type paymentSumKinds,
  paymentSums as sums,
  type paymentSumSpans,
} from "@/db/schema/list-counts";
import { mails } from "@/db/schema/mails";
import { packages } from "@/db/schema/packages";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { payments, refunds } from "@/db/schema/payments";
import { subscriptions } from "@/db/schema/subscriptions";
import { invitations } from "@/db/schema/team";
import {
  webhookDeliveries as deliveries,
  webhookEndpoints as endpoints,
} from "@/db/schema/webhooks";
import type { Attention } from "@/lib/contract/overview";
import { mailKinds, paymentAttention } from "@/lib/contract/values";
import type { Ctx } from "../context";
import { asksForMoney } from "../mails/rules";
import { ERASED_EMAIL } from "../payers/rules";
import { needsPerson } from "../payments/kind-rows";

/** Days in the business's zone, both inclusive. */
export type Range = { from: string; to: string; timeZone: string };
export type PerDay = { currency: string; day: string; sum: number; count: number };
export type PerCurrency = { currency: string; sum: number; count: number };

const added = (table: typeof sums | typeof counts) => ({
  sum: sql<number>`sum(${table.amount})::float8`,
  count: sql<number>`sum(${table.count})::integer`,
});
const count = sql<number>`count(*)::integer`;

/** Today's date in a zone, by the database's clock. */
export async function today(timeZone: string): Promise<string> {
  const { rows } = await db.execute<{ day: string }>(
    sql`select (now() at time zone ${timeZone})::date::text as day`,
  );
  return rows[0]?.day ?? "";
}

const one = (
  currency: string | undefined,
  column: (typeof sums | typeof counts | typeof stages | typeof packages)["currency"],
) => (currency === undefined ? undefined : eq(column, currency));

/** What came in less what went back, by the day it was paid; or attempts that failed, by the day they were made. */
export async function sumsPerDay(
  ctx: Ctx,
  kind: (typeof paymentSumKinds)[number],
  range: Range,
  currency: string | undefined,
): Promise<PerDay[]> {
  const bounds = sql`
    select array_agg(day::date::text order by day) as days, array_agg(
      ${beginOfDay(sql`day`, range.timeZone)} order by day
    ) as moments
    from generate_series(${range.from}::date::timestamp, ${range.to}::date + interval '1 day', interval '1 day') day`;
  return sumsBetween(ctx, kind, bounds, currency);
}

/** The same of one day, which begins or ends at other moments where these are given. */
export async function sumsOfDay(
  ctx: Ctx,
  kind: (typeof paymentSumKinds)[number],
  day: { day: string; timeZone: string; begins: string | null; ends: string | null },
): Promise<PerDay[]> {
  const midnight = (date: SQL) => beginOfDay(sql`(${date})::timestamp`, day.timeZone);
  const bounds = sql`
    select array[${day.day}::text] as days, array[least(begins, ends), ends] as moments from (select
      coalesce(${day.begins}::timestamptz, ${midnight(sql`${day.day}::date`)}) as begins,
      coalesce(${day.ends}::timestamptz, ${midnight(sql`${day.day}::date + 1`)}) as ends) of_day`;
  return sumsBetween(ctx, kind, bounds, undefined);
}

/** Sums between the moments that `bounds` selects, each from one moment to the next, by the day of the first. */
async function sumsBetween(
  ctx: Ctx,
  kind: (typeof paymentSumKinds)[number],
  bounds: SQL,
  currency: string | undefined,
): Promise<PerDay[]> {
  const of = (rows: SQL) =>
    owned(ctx, sums, eq(sums.kind, kind), one(currency, sums.currency), rows);
  const folded = (span: (typeof paymentSumSpans)[number], from: SQL, to: SQL) =>
    of(
      sql`${sums.folded} and ${sums.span} = ${span} and ${sums.start} >= ${from} and ${sums.start} < ${to}`,
    );
  const [first, last] = [sql`moments[1]`, sql`moments[cardinality(moments)]`];
  const [hour, day] = [beginOf("hour", sql`moment`), beginOf("day", sql`moment`)];
  const firstHour = beginOf("hour", sql`moment + interval '45 minutes'`);
  const values = sql`${sums.currency}, ${sums.amount}, ${sums.count}`;
  // A day of UTC counts to the day in which it begins. What lies between a later midnight of the zone and its end moves on by one.
  const { rows } = await db.execute<PerDay>(sql`
    with bounds as materialized (${bounds}
    ), parts as (
      select width_bucket(${sums.start}, moments) as number, ${values} from bounds, ${sums} where ${folded("day", first, last)}
      union all select width_bucket(${sums.start}, moments), ${values} from bounds, ${sums}
        where ${of(sql`not ${sums.folded} and ${sums.start} >= ${first} and ${sums.start} < ${last}`)}
      union all select (number + step)::integer, currency, sign * amount, sign * count
        from bounds, unnest(moments) with ordinality midnight (moment, number), lateral (
          select ${values} from ${sums} where ${folded("hour", firstHour, sql`${day} + interval '1 day'`)}
          union all select ${values} from ${sums} where ${folded("quarter", sql`moment`, firstHour)} and moment <> ${hour}
        ) moved, (values (0, 1), (-1, -1)) moves (step, sign)
        where moment <> ${day}
    )
    select days[number] as day, currency, sum, count from bounds, (
      select number, currency, sum(amount)::float8 as sum, sum(count)::integer as count from parts group by 1, 2 having sum(count) <> 0
    ) totals where number between 1 and cardinality(moments) - 1`);
  return rows;
}

export type Stages = {
  created: number;
  mailed: number;
  opened: number;
  tried: number;
  paid: number;
};

/** Links by the days in which they were created: how many there are, and how many have come how far since. */
export async function linkStages(
  ctx: Ctx,
  range: Range,
  currency: string | undefined,
): Promise<(Stages & { currency: string })[]> {
  const of = (rows: SQL) => owned(ctx, stages, one(currency, stages.currency), rows);
  const folded = (span: (typeof paymentSumSpans)[number], from: SQL, to: SQL) =>
    of(
      sql`${stages.folded} and ${stages.span} = ${span} and ${stages.start} >= ${from} and ${stages.start} < ${to}`,
    );
  const [hour, day] = [beginOf("hour", sql`moment`), beginOf("day", sql`moment`)];
  const names = ["created", "mailed", "opened", "tried", "paid"] as const;
  const list = (each: (column: SQL) => SQL) =>
    sql.join(
      names.map((name) => sql`${each(sql`${stages[name]}`)} as ${sql.identifier(name)}`),
      sql`, `,
    );
  const values = (sign: SQL) =>
    sql`${stages.currency}, ${list((column) => sql`${sign} * ${column}`)}`;
  // Days of UTC from that of the first moment to that of the last. Their beginnings before these moments are taken off and added.
  const { rows } = await db.execute<Stages & { currency: string }>(sql`
    with bounds as materialized (
      select ${beginOfDay(sql`${range.from}::date::timestamp`, range.timeZone)} as first,
        ${beginOfDay(sql`(${range.to}::date + 1)::timestamp`, range.timeZone)} as last
    ), parts as (
      select ${values(sql`1`)} from bounds, ${stages} where ${folded("day", beginOf("day", sql`first`), beginOf("day", sql`last`))}
      union all select ${values(sql`1`)} from bounds, ${stages}
        where ${of(sql`not ${stages.folded} and ${stages.start} >= first and ${stages.start} < last`)}
      union all select part.* from bounds, lateral (values (-1, first), (1, last)) ends (sign, moment), lateral (
        select ${values(sql`sign`)} from ${stages} where ${folded("hour", day, hour)}
        union all select ${values(sql`sign`)} from ${stages} where ${folded("quarter", hour, sql`moment`)}
      ) part
    )
    select currency, ${sql.join(
      names.map((name) => sql`sum(${sql.identifier(name)})::integer as ${sql.identifier(name)}`),
      sql`, `,
    )} from parts group by currency having sum(created) <> 0`);
  return rows;
}

/** Links that wait to be paid. */
export async function openLinks(ctx: Ctx, currency: string | undefined): Promise<PerCurrency[]> {
  return db
    .select({ currency: counts.currency, ...added(counts) })
    .from(counts)
    .where(
      owned(
        ctx,
        counts,
        inArray(counts.status, ["Active", "Processing"]),
        one(currency, counts.currency),
      ),
    )
    .groupBy(counts.currency)
    .having(sql`sum(${counts.count}) <> 0`);
}

const aMonth = sql`case ${packages.frequency} when 'daily' then 365 / 12.0 when 'weekly' then 52 / 12.0 when 'biweekly' then 26 / 12.0
  when 'monthly' then 1.0 when 'quarterly' then 1 / 3.0 when 'half_yearly' then 1 / 6.0 else 1 / 12.0 end`;

/** What active subscriptions bring in a month. */
export async function recurring(ctx: Ctx, currency: string | undefined): Promise<PerCurrency[]> {
  return db
    .select({
      currency: packages.currency,
      sum: sql<number>`round(sum(${packages.amount} * ${aMonth}))::float8`,
      count,
    })
    .from(subscriptions)
    .innerJoin(
      packages,
      sql`${packages.businessId} = ${subscriptions.businessId} and ${packages.id} = ${subscriptions.packageId}`,
    )
    .where(
      owned(
        ctx,
        subscriptions,
        eq(subscriptions.status, "active"),
        isNull(subscriptions.deletedAt),
        one(currency, packages.currency),
      ),
    )
    .groupBy(packages.currency);
}

const kindsOf = (kinds: readonly string[]) =>
  sql.join(
    kinds.map((kind) => sql`${kind}`),
    sql`, `,
  );

/** How many repetitions of repetitions are followed. Citus takes no recursion here. */
const MAX_REPEATS = 8;
const causeOf = (mail: string) =>
  sql.raw(
    `case when ${mail}.cause like 'resend:%' then split_part(${mail}.cause, ':', 2) else ${mail}.id end`,
  );
const STEPS = Array.from({ length: MAX_REPEATS }, (_, step) => step);

/** The id of the mail that `mail` repeats, also by repetitions in between. Of one that repeats none it is its own. */
const firstOf = (mail: "m" | "r", { businessId }: Ctx) => sql`(
  select coalesce(${sql.raw(
    STEPS.map((step) => `s${step}.id`)
      .reverse()
      .join(", "),
  )})
  from (select ${causeOf(mail)} as id) s0 ${sql.join(
    STEPS.slice(1).map(
      (step) => sql`left join lateral (
        select ${causeOf("p")} as id from ${mails} p where p.business_id = ${businessId} and p.id = ${sql.raw(`s${step - 1}.id`)}
      ) ${sql.raw(`s${step}`)} on true`,
    ),
    sql.raw(" "),
  )})`;

/** Whether `r` repeats the mail that `m` is or repeats, later than `m`. One that failed is listed itself. */
const isRepeated = (ctx: Ctx) =>
  sql`r.cause like 'resend:%' and (m.cause not like 'resend:%' or r.created_at > m.created_at) and ${firstOf("r", ctx)} = ${firstOf("m", ctx)}`;

type Latest = Attention["latest"][number];
export type AttentionRow = Latest & { kind: Attention["kind"]; total: number };

/** What a person should look at, the newest five of each kind with how many there are. Failures count for 30 days, and only where nothing better followed. */
export async function attention(ctx: Ctx): Promise<AttentionRow[]> {
  const ofPayments = paymentAttention.map(
    (kind) => sql`
    select ${kind}::text as kind, 'payment' as object, ${payments.id}, ${payments.paymentLinkId}, ${payments.title}, ${payments.message} as detail, ${payments.amount}, ${payments.currency}, ${payments.updatedAt} as moment
    from ${payments} where ${owned(ctx, payments, needsPerson(kind))}`,
  );
  const { rows } = await db.execute<Record<keyof AttentionRow | "id" | "moment", never>>(sql`
    with found as (
      ${sql.join(ofPayments, sql` union all `)}
      union all select 'refund_failed', 'payment', p.id, p.payment_link_id, p.title, r.message, r.amount, r.currency, r.updated_at
        from ${refunds} r join ${payments} p on p.business_id = r.business_id and p.id = r.payment_id
        where r.business_id = ${ctx.businessId} and r.mode = ${ctx.mode} and r.status = 'failed' and r.updated_at > now() - interval '30 days'
          and not exists (select 1 from ${refunds} later where later.business_id = ${ctx.businessId} and later.payment_id = r.payment_id and later.created_at > r.updated_at)
      union all select 'refund_unknown', 'payment', p.id, p.payment_link_id, p.title, r.message, r.amount, r.currency, coalesce(r.unknown_since, r.started_at)
        from ${refunds} r join ${payments} p on p.business_id = r.business_id and p.id = r.payment_id
        where r.business_id = ${ctx.businessId} and r.mode = ${ctx.mode} and r.next_check_at is not null and r.status = 'unknown'
      union all select 'mail_failed', 'mail', m.id, m.object_id, m.subject, m.error, null, null, m.created_at
        from ${mails} m where m.business_id = ${ctx.businessId} and m.mode = ${ctx.mode} and m.status = 'failed' and m.created_at > now() - interval '30 days'
          and m.kind in (${kindsOf(mailKinds)}) and m.recipient <> ${ERASED_EMAIL}
          and not exists (select 1 from ${mails} r where r.business_id = ${ctx.businessId} and r.object_id = m.object_id and r.kind = m.kind and case
            when m.kind in (${kindsOf(mailKinds.filter(asksForMoney))}) then r.created_at > m.created_at and r.status <> 'failed'
            else ${isRepeated(ctx)} end)
      union all select 'subscription_' || s.status, 'subscription', s.id, null, s.email, k.name, k.amount, k.currency, s.updated_at
        from ${subscriptions} s join ${packages} k on k.business_id = s.business_id and k.id = s.package_id
        where s.business_id = ${ctx.businessId} and s.mode = ${ctx.mode} and s.status in ('past_due', 'halted') and s.deleted_at is null
      union all select case when w.enabled then 'webhook_failed' else 'webhook_gone' end, 'webhook_endpoint', w.id, null, w.url, last.last_error, null, null, coalesce(last.updated_at, w.updated_at)
        from ${endpoints} w left join lateral (
          select d.status, d.last_error, d.updated_at from ${deliveries} d
          where d.business_id = w.business_id and d.endpoint_id = w.id and d.test_event is null and d.status in ('failed', 'delivered') order by d.created_at desc, d.id desc limit 1
        ) last on true
        where w.business_id = ${ctx.businessId} and w.mode = ${ctx.mode} and w.deleted_at is null
          and (w.disabled_reason = 'gone' or (w.enabled and last.status = 'failed' and last.updated_at > now() - interval '30 days'))
    ), ranked as (select *, count(*) over (partition by kind)::integer as total, row_number() over (partition by kind order by moment desc, id desc) as place from found)
    select kind, object, id as "_id", payment_link_id, title, detail, amount, currency, ${isoSql(sql`moment`)} as "at", total from ranked where place <= 5 order by kind, place`);
  return rows as unknown as AttentionRow[];
}

/** The first steps of a business that are done already. */
export async function stepsDone(
  ctx: Ctx,
): Promise<{ link: boolean; key: boolean; paid: boolean; colleague: boolean }> {
  const own = (table: typeof links | typeof apiKeys) =>
    sql`${table.businessId} = ${ctx.businessId} and ${table.mode} = ${ctx.mode}`;
  const { rows } = await db.execute<{
    link: boolean;
    key: boolean;
    paid: boolean;
    colleague: boolean;
  }>(sql`
    select exists (select 1 from ${links} where ${own(links)}) as link,
      exists (select 1 from ${apiKeys} where ${own(apiKeys)} and ${apiKeys.lastUsedAt} is not null) as key,
      exists (select 1 from ${links} where ${own(links)} and ${links.status} = 'Paid' and ${links.deletedAt} is null) as paid,
      (select count(*) > 1 from ${memberships} where ${memberships.businessId} = ${ctx.businessId})
        or exists (select 1 from ${invitations} where ${invitations.businessId} = ${ctx.businessId}) as colleague`);
  return rows[0] ?? { link: false, key: false, paid: false, colleague: false };
}
