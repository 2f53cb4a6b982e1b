import { and, asc, eq, gt, notInArray, or, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { isoSql } from "@/db/columns";
import { createdFilters, filtered, type Filters, holds, is } from "@/db/filters";
import { keyset, type Walk } from "@/db/page";
import { users } from "@/db/schema/auth";
import { businesses } from "@/db/schema/businesses";
import { auditEntries, auditHeads, auditKeys } from "@/db/schema/team";
import type { AuditQuery } from "@/lib/contract/business";

export type AuditRow = typeof auditEntries.$inferSelect;
export type ListedAudit = AuditRow & { actorName: string | null; actorEmail: string | null };
export type HeadRow = typeof auditHeads.$inferSelect;

const KEY_ID = 1;
const sealedKey = sql<
  string | null
>`(select ${auditKeys.key} from ${auditKeys} where ${auditKeys.id} = ${KEY_ID})`;

/** The sealed key of the chains; null in a database that no process has joined yet. */
export async function findSealedKey(on: Executor): Promise<string | null> {
  const [row] = await on
    .select({ key: auditKeys.key })
    .from(auditKeys)
    .where(eq(auditKeys.id, KEY_ID));
  return row?.key ?? null;
}

/** Stores the sealed key of the chains, unless a key is stored. */
export async function keepSealedKey(key: string): Promise<void> {
  await db.insert(auditKeys).values({ id: KEY_ID, key }).onConflictDoNothing();
}

/** Whether any business has a chain. */
export const hasChains = async (): Promise<boolean> => (await db.$count(auditHeads)) > 0;

/** Locks the head of a business's chain until the transaction ends. Returns it with the sealed key and the time for the next entry. */
export async function lockHead(
  tx: Tx,
  businessId: number,
): Promise<{ head: HeadRow; now: string; key: string | null }> {
  await tx.insert(auditHeads).values({ businessId, seq: 0, hash: "" }).onConflictDoNothing();
  const [row] = await tx
    .select({ head: auditHeads, now: isoSql(sql`clock_timestamp()`), key: sealedKey })
    .from(auditHeads)
    .where(eq(auditHeads.businessId, businessId))
    .for("update");
  if (!row) throw new Error("the head of the audit log is gone");
  return row;
}

export async function insertEntry(tx: Tx, row: AuditRow, seal: string): Promise<void> {
  await tx.insert(auditEntries).values(row);
  await tx
    .update(auditHeads)
    .set({ seq: row.seq, hash: row.hash, seal })
    .where(eq(auditHeads.businessId, row.businessId));
}

/** Seals the head after an entry that a function of the database wrote. */
export async function keepSeal(tx: Tx, businessId: number, seal: string): Promise<void> {
  await tx.update(auditHeads).set({ seal }).where(eq(auditHeads.businessId, businessId));
}

const byPerson = (text: string) =>
  sql`exists (select 1 from ${users} where ${users.id}::text = ${auditEntries.actorId} and (${holds(users.name, text)} or ${holds(users.email, text)}))`;

const filters: Filters<AuditQuery> = {
  ...createdFilters(auditEntries.createdAt),
  action: is(auditEntries.action),
  actor_id: is(auditEntries.actorId),
  q: (text) =>
    text === ""
      ? undefined
      : or(
          ...[auditEntries.action, auditEntries.objectId, auditEntries.address].map((column) =>
            holds(column, text),
          ),
          byPerson(text),
        ),
};

const conditions = (businessId: number, query: AuditQuery) =>
  and(eq(auditEntries.businessId, businessId), ...filtered(filters, query));

export async function listEntries(
  businessId: number,
  query: AuditQuery,
  walk: Walk,
): Promise<ListedAudit[]> {
  const { where, orderBy, limit, offset } = keyset(auditEntries, walk);
  const rows = await db
    .select({ entry: auditEntries, actorName: users.name, actorEmail: users.email })
    .from(auditEntries)
    .leftJoin(
      users,
      and(eq(auditEntries.actorKind, "person"), eq(sql`${users.id}::text`, auditEntries.actorId)),
    )
    .where(and(conditions(businessId, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return rows.map(({ entry, ...actor }) => ({ ...entry, ...actor }));
}

export async function countEntries(businessId: number, query: AuditQuery): Promise<number> {
  return db.$count(auditEntries, conditions(businessId, query));
}

/** The heads of all chains: what each business's last entry must be. */
export async function unscopedHeads(): Promise<HeadRow[]> {
  return db.select().from(auditHeads).orderBy(asc(auditHeads.businessId));
}

/** Businesses without a head. */
export async function unscopedHeadless(): Promise<number[]> {
  const rows = await db
    .select({ id: businesses.id })
    .from(businesses)
    .where(notInArray(businesses.id, db.select({ id: auditHeads.businessId }).from(auditHeads)))
    .orderBy(asc(businesses.id));
  return rows.map(({ id }) => id);
}

/** The next entries of a business's chain after `seq`, in order. */
export async function entriesAfter(
  businessId: number,
  seq: number,
  limit: number,
): Promise<AuditRow[]> {
  return db
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.businessId, businessId), gt(auditEntries.seq, seq)))
    .orderBy(asc(auditEntries.seq))
    .limit(limit);
}
