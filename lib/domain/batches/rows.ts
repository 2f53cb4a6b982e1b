import { and, asc, eq, inArray, isNull, not, type SQL, sql } from "drizzle-orm";
import { notifyChange } from "@/db/changes";
import { db, type Executor, type Tx } from "@/db/client";
import { createdFilters, filtered, type Filters, is } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { changeRows } from "@/db/sets";
import { batches, batchItems as items } from "@/db/schema/batches";
import type { BatchQuery } from "@/lib/contract/batches";
import { batchLimits } from "@/lib/contract/batch-values";
import { calendar } from "@/lib/contract/values";
import type { Due } from "@/lib/jobs/claim-rows";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";

export type BatchRow = typeof batches.$inferSelect;
export type BatchItem = typeof items.$inferSelect;

type NewBatch = Pick<BatchRow, "action" | "total"> &
  Partial<
    Pick<BatchRow, "expiresAt" | "extendDays" | "postponeDays" | "shorten" | "undoOf" | "importId">
  > & {
    delaySeconds?: number;
  };

const found = (ctx: Ctx, id: string) => owned(ctx, batches, eq(batches.id, id));
const open = inArray(batches.status, ["waiting", "running"]);

/** Writes a batch that starts after `delaySeconds`; its items are written in the same transaction. */
export async function insertBatch(
  ctx: Ctx,
  tx: Tx,
  { delaySeconds = 0, ...values }: NewBatch,
): Promise<BatchRow> {
  const [row] = await tx
    .insert(batches)
    .values({
      ...values,
      ...(values.extendDays || values.postponeDays
        ? { expiresAt: `${calendar.first}T00:00:00Z` }
        : {}),
      businessId: ctx.businessId,
      mode: ctx.mode,
      id: newId(),
      status: "waiting",
      startsAt: sql`now() + make_interval(secs => ${delaySeconds})` as never,
      startedBy: ctx.actor,
    })
    .returning();
  if (!row) throw new Error("the batch was not written");
  await notifyChange(tx, ctx, "batch.started", row.id);
  return row;
}

/** Gives a batch these links as its items, in this order. */
export async function insertItems(
  tx: Tx,
  { businessId, mode, id }: BatchRow,
  linkIds: readonly string[],
): Promise<void> {
  await tx.execute(
    sql`insert into ${items} (business_id, mode, batch_id, position, payment_link_id)
      select ${businessId}::integer, ${mode}, ${id}, position, link from unnest(${sql.param([...linkIds])}::text[]) with ordinality as given(link, position)`,
  );
}

/** Gives a batch what another one has changed as its items. */
export async function insertChangedItems(tx: Tx, batch: BatchRow, of: string): Promise<void> {
  await tx.execute(
    sql`insert into ${items} (business_id, mode, batch_id, position, payment_link_id)
      select business_id, mode, ${batch.id}, position, payment_link_id from ${items}
      where ${owned(batch, items, eq(items.batchId, of), eq(items.outcome, "changed"))}`,
  );
}

/**
 * Records that an import has created links; the calls of one import are counted together, under the first name of a file. One that was
 * undone can be undone again. False where the id is that of another batch, or of an import of the other mode.
 */
export async function recordImport(
  ctx: Ctx,
  tx: Tx,
  id: string,
  { created, fileName }: { created: number; fileName: string | undefined },
): Promise<boolean> {
  if (created === 0) return true;
  const moment = sql`now()` as never;
  const rows = await tx
    .insert(batches)
    .values({
      businessId: ctx.businessId,
      mode: ctx.mode,
      id,
      action: "import",
      fileName: fileName ?? null,
      status: "done",
      total: created,
      done: created,
      changed: created,
      startsAt: moment,
      startedBy: ctx.actor,
      finishedAt: moment,
    })
    .onConflictDoUpdate({
      target: [batches.businessId, batches.id],
      set: {
        total: sql`${batches.total} + ${created}`,
        done: sql`${batches.done} + ${created}`,
        changed: sql`${batches.changed} + ${created}`,
        fileName: sql`coalesce(${batches.fileName}, excluded.file_name)`,
        finishedAt: sql`excluded.finished_at`,
        updatedAt: sql`excluded.updated_at`,
        undoneBy: null,
      },
      setWhere: and(eq(batches.mode, ctx.mode), eq(batches.action, "import")),
    })
    .returning({ id: batches.id });
  return rows.length === 1;
}

export async function findBatch(ctx: Ctx, id: string): Promise<BatchRow | undefined> {
  const [row] = await db.select().from(batches).where(found(ctx, id));
  return row;
}

/** The batch under its row lock: no part of it is worked until the transaction ends. */
export async function lockBatch(ctx: Ctx, tx: Tx, id: string): Promise<BatchRow | undefined> {
  const [row] = await tx.select().from(batches).where(found(ctx, id)).for("no key update");
  return row;
}

/** Stops a locked batch; undefined when it is done or stopped. */
export async function stopOpen(ctx: Ctx, tx: Tx, id: string): Promise<BatchRow | undefined> {
  const [row] = await stopWhere(tx, and(found(ctx, id), open));
  if (row) await notifyChange(tx, ctx, "batch.stopped", id);
  return row;
}

/** Stops the mails of an import that were not sent yet; gives the batches that would have sent them. */
export const stopSends = (ctx: Ctx, tx: Tx, importId: string): Promise<BatchRow[]> =>
  stopWhere(tx, owned(ctx, batches, eq(batches.importId, importId), open));

const stopWhere = async (tx: Tx, where: SQL | undefined): Promise<BatchRow[]> =>
  tx
    .update(batches)
    .set({
      status: "stopped",
      finishedAt: sql`now()` as never,
      updatedAt: sql`now()` as never,
    })
    .where(where)
    .returning();

export async function markUndone(ctx: Ctx, tx: Tx, id: string, by: string): Promise<void> {
  await tx
    .update(batches)
    .set({ undoneBy: by, updatedAt: sql`now()` as never })
    .where(found(ctx, id));
}

/** Lets the batch that a stopped one was undoing be undone again. */
export async function reopenUndo(ctx: Ctx, tx: Tx, { id, undoOf }: BatchRow): Promise<void> {
  if (undoOf === null) return;
  await tx
    .update(batches)
    .set({ undoneBy: null, updatedAt: sql`now()` as never })
    .where(and(found(ctx, undoOf), eq(batches.undoneBy, id)));
}

const filters: Filters<BatchQuery> = {
  status: is(batches.status),
  open: (wanted) => (wanted ? open : not(open)),
  ...createdFilters(batches.createdAt),
};
const conditions = (ctx: Ctx, query: BatchQuery) =>
  owned(ctx, batches, ...filtered(filters, query));

export async function listBatches(ctx: Ctx, query: BatchQuery, walk: Walk): Promise<BatchRow[]> {
  const { where, orderBy, limit, offset } = keyset(batches, walk);
  return db
    .select()
    .from(batches)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export const countBatches = (ctx: Ctx, query: BatchQuery): Promise<number> =>
  db.$count(batches, conditions(ctx, query));

/** Batches with links that wait to be worked. A batch that was not worked yet comes before the next part of another: a short one never waits for 50,000 links. */
export const dueBatches: Due<typeof batches> = {
  table: batches,
  fairBy: [batches.businessId],
  moment: batches.startsAt,
  where: sql`${batches.status} in ('waiting', 'running')`,
  first: sql`(${batches.done} > 0)`,
};

/** The next items that were not looked at. */
export async function openItems(batch: BatchRow, limit: number): Promise<BatchItem[]> {
  return db.select().from(items).where(unreached(batch)).orderBy(asc(items.position)).limit(limit);
}

const unreached = (batch: BatchRow) =>
  owned(batch, items, eq(items.batchId, batch.id), isNull(items.outcome));

/** The links that a stopped batch did not reach. */
export async function unreachedLinks(batch: BatchRow, on: Executor = db): Promise<string[]> {
  const rows = await on.select({ id: items.paymentLinkId }).from(items).where(unreached(batch));
  return rows.map(({ id }) => id);
}

/** What another batch noted at these positions. */
export async function itemsAt(
  batch: BatchRow,
  batchId: string,
  positions: readonly number[],
): Promise<BatchItem[]> {
  if (positions.length === 0) return [];
  return db
    .select()
    .from(items)
    .where(
      owned(batch, items, eq(items.batchId, batchId), inArray(items.position, [...positions])),
    );
}

/** How many items were skipped for each reason, and the first of them. */
export async function skippedItems(batch: BatchRow, limit: number) {
  const skipped = owned(batch, items, eq(items.batchId, batch.id), eq(items.outcome, "skipped"));
  const [reasons, first] = await Promise.all([
    db
      .select({ reason: items.reason, count: sql<number>`count(*)::integer` })
      .from(items)
      .where(skipped)
      .groupBy(items.reason)
      .orderBy(sql`count(*) desc`, items.reason),
    db.select().from(items).where(skipped).orderBy(asc(items.position)).limit(limit),
  ]);
  return { reasons, first };
}

/** What became of an item. */
export type Outcome = Pick<BatchItem, "position"> & Partial<BatchItem>;

/** Marks a batch as running; false when it was stopped meanwhile, and nothing may be changed. */
export async function beginPart(tx: Tx, batch: BatchRow): Promise<boolean> {
  const rows = await tx
    .update(batches)
    .set({ status: "running", updatedAt: sql`now()` as never })
    .where(and(owned(batch, batches, eq(batches.id, batch.id)), open))
    .returning({ id: batches.id });
  return rows.length === 1;
}

/** Writes what became of items, and how far the batch is. */
export async function endPart(
  tx: Tx,
  batch: BatchRow,
  outcomes: readonly Outcome[],
  finished: boolean,
): Promise<void> {
  const scope = owned(batch, items, eq(items.batchId, batch.id));
  const changes = outcomes.map(({ position, ...set }) => ({ where: { position }, set }));
  if (changes.length > 0) await changeRows(tx, items, scope, changes);
  const changed = outcomes.filter(({ outcome }) => outcome === "changed").length;
  await tx
    .update(batches)
    .set({
      done: sql`${batches.done} + ${outcomes.length}`,
      changed: sql`${batches.changed} + ${changed}`,
      updatedAt: sql`now()` as never,
      ...(finished ? { status: "done", finishedAt: sql`now()` as never } : {}),
    })
    .where(owned(batch, batches, eq(batches.id, batch.id)));
}

/** Forgets the links of batches that are too old to be undone; returns how many. */
export async function unscopedForgetItems(limit = 10_000): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from ${items} where (business_id, batch_id, position) in (
      select i.business_id, i.batch_id, i.position from ${batches} b join ${items} i on i.business_id = b.business_id and i.batch_id = b.id
      where b.finished_at < now() - make_interval(days => ${batchLimits.keptDays}) and b.status in ('done', 'stopped') limit ${limit})`);
  return rowCount ?? 0;
}
