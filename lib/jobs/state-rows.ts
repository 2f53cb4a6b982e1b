import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { db } from "@/db/client";
import { isoSql } from "@/db/columns";

/** Rows that wait or are due, of tables with a business and a mode. */
export type Shown = { table: PgTable; moment: AnyPgColumn | SQL; where: SQL };

type Waiting = {
  planned: number;
  due: number;
  oldest_due_at: string | null;
  next_at: string | null;
};

/** How many rows of this business and mode are planned and due, and the moments of the next ones. */
export async function workWaiting(
  { businessId, mode }: { businessId: number; mode: string },
  { table, moment, where }: Shown,
): Promise<Waiting> {
  const due = sql`(${moment} <= now())`;
  const { rows } = await db.execute<Waiting>(sql`
    select (count(*) filter (where not ${due}))::int as planned, (count(*) filter (where ${due}))::int as due,
      ${isoSql(sql`min(${moment}) filter (where ${due})`)} as oldest_due_at,
      ${isoSql(sql`min(${moment}) filter (where not ${due})`)} as next_at
    from ${table} where business_id = ${businessId} and mode = ${mode} and ${moment} is not null and ${where}`);
  const [row] = rows;
  if (!row) throw new Error("a count without an answer");
  return row;
}
