import { and, eq, inArray, type SQL, type SQLWrapper } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { newRows } from "./columns";
import { db, type Executor } from "./client";
import type { Mode } from "../lib/contract/values";
import { directory, type DirectoryKind } from "./schema/directory";

export { directory };

type Owner = { businessId: number; mode: Mode | null };

/** The part of a statement (`on.with(…)`) that enters a record under its ids or digests. An entry that exists stays as it is. */
export const enter = (
  on: Executor,
  kind: DirectoryKind,
  { businessId, mode }: Owner,
  ...keys: string[]
) =>
  on.$with("entered").as(
    on
      .insert(directory)
      .select(
        newRows(
          directory,
          keys.map((key) => ({ kind, key, businessId, mode })),
        ),
      )
      .onConflictDoNothing()
      .returning({ key: directory.key }),
  );

/** Removes entries of records that are deleted. */
export async function forgetEntries(kind: DirectoryKind, keys: readonly string[]): Promise<void> {
  await db
    .delete(directory)
    .where(and(eq(directory.kind, kind), inArray(directory.key, [...keys])));
}

/**
 * The business of each key. A statement that names the business then asks one server, where businesses are on several. Where they are not, one
 * statement that reads joins the two tables.
 */
export async function businessesOf(
  kind: DirectoryKind,
  keys: readonly string[],
  on: Executor = db,
): Promise<Map<string, number>> {
  const rows = await on
    .select({ key: directory.key, businessId: directory.businessId })
    .from(directory)
    .where(and(eq(directory.kind, kind), inArray(directory.key, [...keys])));
  return new Map(rows.map(({ key, businessId }) => [key, businessId]));
}

/** The condition by which a directory row joins its record's table. */
export const entryOf = (kind: DirectoryKind, table: { businessId: PgColumn }, key: SQLWrapper) =>
  and(
    eq(directory.kind, kind),
    eq(directory.key, key),
    eq(table.businessId, directory.businessId),
  ) as SQL;
