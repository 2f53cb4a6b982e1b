import { and, asc, eq, or, type SQL, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { users } from "@/db/schema/auth";
import { savedViews } from "@/db/schema/saved-views";
import type { SavedView } from "@/lib/contract/saved-views";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";

export type ViewRow = typeof savedViews.$inferSelect;
export type ShownView = ViewRow & { savedBy: string };
export type ViewTerms = Pick<ViewRow, "name" | "filters" | "sort" | "columns" | "shared">;

const ofBusiness = (ctx: Ctx, ...conditions: Array<SQL | undefined>) =>
  and(eq(savedViews.businessId, ctx.businessId), ...conditions);

const seenBy = (userId: string) => or(eq(savedViews.userId, userId), savedViews.shared);

const shown = (on: Executor) =>
  on
    .select({ row: savedViews, savedBy: users.name })
    .from(savedViews)
    .innerJoin(users, eq(users.id, savedViews.userId));

const flat = ({ row, savedBy }: { row: ViewRow; savedBy: string }): ShownView => ({
  ...row,
  savedBy,
});

/** A person's own views of a list, or of every list, and the team's, by name. */
export async function listViewRows(
  ctx: Ctx,
  userId: string,
  list: SavedView["list"] | undefined,
): Promise<ShownView[]> {
  const rows = await shown(db)
    .where(ofBusiness(ctx, list && eq(savedViews.list, list), seenBy(userId)))
    .orderBy(asc(sql`lower(${savedViews.name})`), asc(savedViews.id));
  return rows.map(flat);
}

/** A view that a person may see, under its row lock. */
export async function lockView(
  ctx: Ctx,
  tx: Tx,
  userId: string,
  id: string,
): Promise<ViewRow | undefined> {
  const [row] = await tx
    .select()
    .from(savedViews)
    .where(ofBusiness(ctx, eq(savedViews.id, id), seenBy(userId)))
    .for("update");
  return row;
}

export async function showView(ctx: Ctx, tx: Tx, id: string): Promise<ShownView | undefined> {
  const [row] = await shown(tx).where(ofBusiness(ctx, eq(savedViews.id, id)));
  return row && flat(row);
}

/** How many views a person keeps for themselves, or the team has. */
export async function countViews(ctx: Ctx, tx: Tx, whose: string | "team"): Promise<number> {
  const condition =
    whose === "team"
      ? savedViews.shared
      : and(eq(savedViews.userId, whose), eq(savedViews.shared, false));
  return tx.$count(savedViews, ofBusiness(ctx, condition as SQL));
}

/** Writes a view and returns its id. */
export async function insertView(
  ctx: Ctx,
  tx: Tx,
  values: ViewTerms & Pick<ViewRow, "userId" | "list">,
): Promise<string> {
  const id = newId();
  await tx.insert(savedViews).values({ ...values, businessId: ctx.businessId, id });
  return id;
}

export async function changeView(ctx: Ctx, tx: Tx, id: string, terms: ViewTerms): Promise<void> {
  await tx
    .update(savedViews)
    .set({ ...terms, updatedAt: sql`now()` })
    .where(ofBusiness(ctx, eq(savedViews.id, id)));
}

export async function dropView(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx.delete(savedViews).where(ofBusiness(ctx, eq(savedViews.id, id)));
}

/** Deletes the views of a business that name an address, for its erasure. */
export async function dropViewsNaming(ctx: Ctx, tx: Tx, address: string): Promise<void> {
  await tx
    .delete(savedViews)
    .where(
      ofBusiness(
        ctx,
        sql`${savedViews.name} || ' ' || ${savedViews.filters}::text ~* address_pattern(${address})`,
      ),
    );
}
