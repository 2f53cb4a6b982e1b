import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { payments, refunds } from "@/db/schema/payments";
import type { Mode } from "@/lib/contract/values";

type Unknown = { mode: Mode; count: number; oldest: number };

/** Payments, or refunds, of all businesses without a definite answer: how many, and for how many seconds the oldest. A mode without any is left out. */
export async function unscopedUnknown(kind: "payments" | "refunds"): Promise<Unknown[]> {
  const table = kind === "payments" ? payments : refunds;
  // A repeat moves `started_at`. The `created_at` of what follows a test clock is a moment of that clock.
  const firstSentAt = sql`case when ${table.testClockId} is null then least(${table.createdAt}, ${table.startedAt}) else ${table.startedAt} end`;
  // `next_check_at`: the index of what has no outcome yet serves it.
  const { rows } = await db.execute<Unknown>(sql`
    select mode, count(*)::float8 as count, extract(epoch from now() - min(${firstSentAt}))::float8 as oldest from ${table}
    where ${table.nextCheckAt} is not null and ${table.status} = 'unknown' group by mode`);
  return rows;
}
