import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { db } from "./client";

type Owned = PgTable & { businessId: AnyPgColumn; id: AnyPgColumn };
type Leased = Owned & {
  nextCheckAt: AnyPgColumn;
  leasedUntil: AnyPgColumn;
  fence: AnyPgColumn;
};

/** How long a claim lasts without a word from its worker, which extends it while it works. */
const LEASE_SECONDS = 60;
/** How often a worker extends the leases of what it works on. */
export const EXTEND_EVERY_MS = 15_000;

export const leaseEnd = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;

/** How many pieces to take: `perBusiness` counts those that a business already has under way in `busy`. */
export type Share = { limit: number; perBusiness: number; busy?: ReadonlyMap<number, number> };

/** A limit on rows that share a value of `per`, the oldest first: `atMost` of them (null: any number). */
export type Cap = { per: AnyPgColumn; atMost: SQL };

/** Ids of due rows, a few of each business before more of any: a tenant whose rows are stuck holds no place of another. */
export function fairShare(
  table: Owned,
  moment: AnyPgColumn,
  due: SQL,
  { limit, perBusiness, busy = new Map() }: Share,
  cap?: Cap,
): SQL {
  const taken = JSON.stringify(Object.fromEntries(busy));
  const all = sql`select ${table.businessId}, ${table.id}, ${moment} as moment from ${table} where ${due}`;
  const capped =
    cap &&
    sql`select business_id, id, moment from (
        select ${table.businessId}, ${table.id}, ${moment} as moment, ${cap.atMost} as at_most,
          row_number() over (partition by ${table.businessId}, ${cap.per} order by ${moment}, ${table.id}) as nth
        from ${table} where ${due}) counted
      where at_most is null or nth <= at_most`;
  return sql`select business_id, id from (
      select business_id, id, moment,
        row_number() over (partition by business_id order by moment) + coalesce((${taken}::jsonb ->> business_id::text)::int, 0) as place
      from (${capped ?? all}) candidates) waiting
    where place <= ${perBusiness} order by place, moment limit ${limit}`;
}

/** Ids of due rows that no lease holds, locked for this statement; for the `where` of the update that claims them. */
export function claimable(table: Leased, share: Share, cap?: Cap): SQL {
  const due = sql`${table.nextCheckAt} <= now() and (${table.leasedUntil} is null or ${table.leasedUntil} <= now())`;
  return sql`(${table.businessId}, ${table.id}) in (
    with waiting as materialized (${fairShare(table, table.nextCheckAt, due, share, cap)}),
    claimed as materialized (
      select ${table.businessId}, ${table.id} from ${table}
      where (${table.businessId}, ${table.id}) in (select business_id, id from waiting) and ${due}
      for update skip locked)
    select * from claimed)`;
}

/** Extends the lease of a piece that is being worked on; does nothing once it is done or another worker has it. */
export async function extendLease(
  table: Leased,
  { businessId, id, fence }: { businessId: number; id: string; fence: number },
): Promise<void> {
  await db.execute(sql`update ${table} set leased_until = ${leaseEnd}
    where ${table.businessId} = ${businessId} and ${table.id} = ${id} and ${table.fence} = ${fence} and ${table.leasedUntil} is not null`);
}
