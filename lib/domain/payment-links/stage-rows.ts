import { eq, type SQL, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { isUnfiltered } from "@/db/filters";
import { beginOf } from "@/db/list-counts";
import { owned } from "@/db/owned";
import type { Walk } from "@/db/page";
import { paymentLinkStages as stages } from "@/db/schema/list-counts";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { PaymentLinkQuery } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";

/** Below this, counting rows off in the index is as fast. */
const FAR_ROWS = 2_000;

/** The kept count of what a query asks for, if it asks for one stage at most and for nothing else but a currency. */
function keptCount({ status, currency, ...query }: PaymentLinkQuery): SQL | undefined {
  const { paid, mailed, opened, tried, ...others } = query;
  const asked = Object.entries({ paid, mailed, opened, tried }).filter(
    ([, wanted]) => wanted !== undefined,
  );
  if (status !== undefined) asked.push(["paid", true]);
  if ((status ?? "Paid") !== "Paid" || asked.length > 1 || !isUnfiltered(others)) return undefined;
  const [[stage, wanted] = []] = asked;
  if (stage === undefined) return sql`${stages.created}`;
  const column = stages[stage as "paid" | "mailed" | "opened" | "tried"];
  return wanted ? sql`${column}` : sql`${stages.created} - ${column}`;
}

/** The kept rows of a query: the days in UTC of those that are folded, and the changes since. */
function keptDays(ctx: Ctx, { currency }: PaymentLinkQuery, kept: SQL): SQL {
  const of = (rows: SQL) =>
    owned(ctx, stages, currency === undefined ? undefined : eq(stages.currency, currency), rows);
  const folded = of(sql`${stages.folded} and ${stages.span} = 'day'`);
  return sql`select ${stages.start} as day, ${kept} as count from ${stages} where ${folded}
    union all select ${beginOf("day", sql`${stages.start}`)}, ${kept} from ${stages} where ${of(sql`not ${stages.folded}`)}`;
}

/** How many links such a query matches, without reading them; `undefined` where nothing is kept for it. */
export async function countStage(ctx: Ctx, query: PaymentLinkQuery): Promise<number | undefined> {
  const kept = keptCount(query);
  if (!kept) return undefined;
  const { rows } = await db.execute<{ count: number }>(
    sql`select coalesce(sum(count), 0)::float8 as count from (${keptDays(ctx, query, kept)}) days`,
  );
  return rows[0]?.count ?? 0;
}

/**
 * The same page of such a query, from the day on in which it begins. Days before it are skipped by their kept counts, so a page in the
 * middle reads the rows of one day. Days are of UTC. Counts and page must be of one snapshot.
 */
export async function fromItsDay(
  ctx: Ctx,
  query: PaymentLinkQuery,
  walk: Walk,
): Promise<{ within: SQL | undefined; walk: Walk }> {
  const kept = keptCount(query);
  if (!kept || walk.position || walk.offset < FAR_ROWS || !walk.sort.endsWith("created_at"))
    return { within: undefined, walk };
  const descending = walk.sort.startsWith("-") !== walk.back;
  const direction = sql.raw(descending ? "desc" : "asc");
  const { rows } = await db.execute<{ day: string; before: number }>(sql`
    with parts as (
      ${keptDays(ctx, query, kept)}
    ), days as (
      select day, sum(sum(count)) over (order by day ${direction}) - sum(count) as before from parts group by day
    )
    select day::text, before::float8 from days where before <= ${walk.offset} order by day ${sql.raw(descending ? "asc" : "desc")} limit 1`);
  const [found] = rows;
  if (!found) return { within: undefined, walk };
  const within = descending
    ? sql`${links.createdAt} < ${found.day}::timestamptz + interval '24 hours'`
    : sql`${links.createdAt} >= ${found.day}::timestamptz`;
  return { within, walk: { ...walk, offset: walk.offset - found.before } };
}
