import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { nowSql } from "@/db/columns";
import { payments, refunds } from "@/db/schema/payments";
import type { Mode } from "@/lib/contract/values";

type Table = typeof payments | typeof refunds;

const unknownSince = (table: Table) => sql`coalesce(${table.unknownSince}, ${table.startedAt})`;

/** What a change of status writes about the moment since which a payment or refund is unknown. */
export const unknownSinceAfter = (
  from: string,
  to: string | undefined,
): { unknownSince?: string | null } =>
  to === undefined || to === from ? {} : { unknownSince: to === "unknown" ? nowSql : null };

/** The same moment for a row that is sent again. That moves `started_at`, which counts in rows of older processes. */
export const keptUnknownSince = (table: Table) =>
  sql`case when ${table.status} = 'unknown' then ${unknownSince(table)} end` as never;

type Unknown = { mode: Mode; count: number; oldest: number };

/** Payments, or refunds, of all businesses without a definite answer: how many, and for how many seconds the oldest. A mode without any is left out. */
export async function unscopedUnknown(kind: "payments" | "refunds"): Promise<Unknown[]> {
  const table = kind === "payments" ? payments : refunds;
  // `next_check_at`: the index of what has no outcome yet serves it.
  const { rows } = await db.execute<Unknown>(sql`
    select mode, count(*)::float8 as count, extract(epoch from now() - min(${unknownSince(table)}))::float8 as oldest from ${table}
    where ${table.nextCheckAt} is not null and ${table.status} = 'unknown' group by mode`);
  return rows;
}
