import { and, like, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { db } from "./client";

/** Whether a phone number ends in these digits, whatever is written between them. */
export const endsInDigits = (column: PgColumn, digits: string): SQL | undefined =>
  and(
    // Spares almost every row the slower comparison.
    like(column, `%${[...digits].join("%")}%`),
    sql`right(regexp_replace(${column}, '[^0-9]', '', 'g'), ${digits.length}) = ${digits}`,
  );

type WithPhones = PgTable & Record<"id" | "email" | "phoneNo" | "createdAt", PgColumn>;

/** The newest rows of a table, to be read under its name. */
export const newestRows = (table: WithPhones, scope: SQL, rows: number): SQL =>
  sql`(select * from ${table} where ${scope} order by ${table.createdAt} desc, ${table.id} desc limit ${rows}) ${table}`;

/** The payers' addresses in rows with such a phone number, each once and the newest first. No index helps: every row of `from` is read. */
export async function emailsOfPhone(
  table: WithPhones,
  { from, where, digits, limit }: { from: SQL; where?: SQL; digits: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.execute<{ email: string }>(sql`
    select min(${table.email}) as email from ${from} where ${and(where, endsInDigits(table.phoneNo, digits))}
    group by lower(${table.email}) order by max(${table.createdAt}) desc limit ${limit}`);
  return rows.map(({ email }) => email);
}
