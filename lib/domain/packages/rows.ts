import { and, eq, isNull, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import type { CommonColumn } from "@/db/columns";
import { amountFilters, createdFilters, filtered, type Filters, is, search } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { packages } from "@/db/schema/packages";
import type { PackageQuery } from "@/lib/contract/packages";
import type { Ctx } from "../context";
import type { Versioned } from "../versions/edits";

export type PackageRow = typeof packages.$inferSelect;

/** Written by the database, or as the package changes. */
type Later = "status" | "subscribedCount" | "liveCount" | keyof Versioned | "deletedAt";

/** Every other column: one that is added to the table must be given here to compile. */
export type PackageValues = Omit<PackageRow, CommonColumn | Later>;

const existing = isNull(packages.deletedAt);

export async function insertPackage(
  ctx: Ctx,
  on: Executor,
  id: string,
  values: PackageValues,
): Promise<PackageRow> {
  const [row] = await on
    .insert(packages)
    .values({ ...values, businessId: ctx.businessId, mode: ctx.mode, id })
    .returning();
  if (!row) throw new Error("the package was not written");
  return row;
}

export async function findPackage(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<PackageRow | undefined> {
  const [row] = await on
    .select()
    .from(packages)
    .where(owned(ctx, packages, eq(packages.id, id), existing));
  return row;
}

/** The package under its row lock, deleted ones only when asked: those that had subscribers still count them. */
export async function lockPackage(
  ctx: Ctx,
  tx: Tx,
  id: string,
  deletedToo = false,
): Promise<PackageRow | undefined> {
  const [row] = await tx
    .select()
    .from(packages)
    .where(owned(ctx, packages, eq(packages.id, id), deletedToo ? undefined : existing))
    .for("no key update");
  return row;
}

/** Changes a locked package. */
export async function changePackage(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<PackageRow>,
): Promise<PackageRow> {
  const [row] = await tx
    .update(packages)
    .set({ ...change, updatedAt: sql`now()` as never })
    .where(owned(ctx, packages, eq(packages.id, id)))
    .returning();
  if (!row) throw new Error("a locked package is gone");
  return row;
}

/** Takes a package out of every read but that of its subscriptions. */
export async function markDeleted(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx
    .update(packages)
    .set({ deletedAt: sql`now()` })
    .where(owned(ctx, packages, eq(packages.id, id)));
}

/** Counts of a locked package: `subscribed` ever made, `live` not cancelled. No trace in `updated_at`: that is for what people edit. */
export async function addToCounts(
  ctx: Ctx,
  tx: Tx,
  id: string,
  add: { subscribed: 0 | 1; live: 1 | -1 },
): Promise<void> {
  await tx
    .update(packages)
    .set({
      subscribedCount: sql`${packages.subscribedCount} + ${add.subscribed}`,
      liveCount: sql`${packages.liveCount} + ${add.live}`,
    })
    .where(owned(ctx, packages, eq(packages.id, id)));
}

const filters: Filters<PackageQuery> = {
  status: is(packages.status),
  currency: is(packages.currency),
  ...amountFilters(packages.amount),
  ...createdFilters(packages.createdAt),
  q: search({ texts: [packages.name], ids: [packages.id] }),
};

const conditions = (ctx: Ctx, query: PackageQuery) =>
  owned(ctx, packages, existing, ...filtered(filters, query));

export async function listPackages(
  ctx: Ctx,
  query: PackageQuery,
  walk: Walk,
): Promise<PackageRow[]> {
  const { where, orderBy, limit, offset } = keyset(packages, walk);
  return db
    .select()
    .from(packages)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countPackages(ctx: Ctx, query: PackageQuery): Promise<number> {
  return db.$count(packages, conditions(ctx, query));
}
