import { sql } from "drizzle-orm";
import { db } from "@/db/client";

/**
 * Makes every check of a payment or refund due. "Nothing found" counts only once nothing can be on its way to the gateway, and an open page
 * ends after half an hour: so each is made older.
 */
export async function hurryPayments(): Promise<void> {
  for (const table of [sql`payments`, sql`refunds`]) {
    await db.execute(
      sql`update ${table} set next_check_at = now(), started_at = least(started_at, now() - interval '31 minutes'), leased_until = null where next_check_at is not null`,
    );
  }
}

/** Ids of payments and refunds without an outcome. */
export async function openWork(): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from payments where status in ('submitting', 'requires_action', 'unknown', 'pending')
    union all select id from refunds where status in ('submitting', 'unknown', 'pending') order by 1`);
  return rows.map(({ id }) => id);
}
