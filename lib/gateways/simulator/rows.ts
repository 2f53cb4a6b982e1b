import { and, asc, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import {
  simulatorAccounts as accounts,
  simulatorJournal as journal,
  simulatorMethods as methods,
  simulatorRequests as requests,
  simulatorScripts as scripts,
} from "@/db/schema/simulator";
import type { Behaviour } from "./rules";

export type Account = typeof accounts.$inferSelect;
export type JournalEntry = typeof journal.$inferSelect;
export type Script = typeof scripts.$inferSelect;

/** Milliseconds from now by the database's clock. */
export const inMs = (ms: number) => sql`now() + ${Math.round(ms)}::int * interval '1 millisecond'`;

export async function getAccount(connectionId: string): Promise<Account | undefined> {
  return (await db.select().from(accounts).where(eq(accounts.connectionId, connectionId)))[0];
}

/** Makes the account, or gives it the secret the connection now has. */
export async function putAccount(row: {
  connectionId: string;
  secretSealed: string;
  secretDigest: string;
}): Promise<Account> {
  const { connectionId: _id, ...secret } = row;
  const made = await db
    .insert(accounts)
    .values(row)
    .onConflictDoUpdate({ target: accounts.connectionId, set: secret })
    .returning();
  return made[0] as Account;
}

export async function setAccountTimes(
  connectionId: string,
  times: { answerLimitMs?: number; approveAfterMs?: number },
): Promise<void> {
  await db.update(accounts).set(times).where(eq(accounts.connectionId, connectionId));
}

/** Claims a key for `subjectId`; waits for concurrent claims of it. For a taken key it returns the row of the first request. */
export async function claimKey(
  tx: Tx,
  request: { connectionId: string; key: string; digest: string; subjectId: string },
) {
  const fresh = await tx
    .insert(requests)
    .values(request)
    .onConflictDoNothing()
    .returning({ key: requests.key });
  if (fresh.length > 0) return undefined;
  const earlier = await tx
    .select({ digest: requests.digest, subjectId: requests.subjectId })
    .from(requests)
    .where(and(eq(requests.connectionId, request.connectionId), eq(requests.key, request.key)));
  return earlier[0];
}

export async function insertJournal(
  tx: Tx,
  entries: Array<Omit<typeof journal.$inferInsert, "createdAt">>,
): Promise<void> {
  if (entries.length > 0) await tx.insert(journal).values(entries);
}

/** The journal of a connection, oldest first; of one reference when given. */
export async function listJournal(
  connectionId: string,
  reference?: string,
): Promise<JournalEntry[]> {
  const of = and(
    eq(journal.connectionId, connectionId),
    reference === undefined ? undefined : eq(journal.reference, reference),
  );
  return db.select().from(journal).where(of).orderBy(asc(journal.createdAt), asc(journal.id));
}

export async function insertMethod(
  executor: Executor,
  row: Omit<typeof methods.$inferInsert, "createdAt">,
): Promise<void> {
  await executor.insert(methods).values(row);
}

export async function getMethod(connectionId: string, id: string) {
  return (
    await db
      .select()
      .from(methods)
      .where(and(eq(methods.connectionId, connectionId), eq(methods.id, id)))
  )[0];
}

export async function lockMethod(tx: Tx, connectionId: string, id: string) {
  return (
    await tx
      .select()
      .from(methods)
      .where(and(eq(methods.connectionId, connectionId), eq(methods.id, id)))
      .for("update")
  )[0];
}

export async function useMethodDecline(tx: Tx, connectionId: string, id: string): Promise<void> {
  const left = and(
    eq(methods.connectionId, connectionId),
    eq(methods.id, id),
    gt(methods.declinesLeft, 0),
  );
  await tx
    .update(methods)
    .set({ declinesLeft: sql`${methods.declinesLeft} - 1` })
    .where(left);
}

/** False when the connection has no such method. */
export async function updateMethod(
  connectionId: string,
  id: string,
  change: { behaviour: Behaviour; declinesLeft: number; lateMs: number },
): Promise<boolean> {
  const changed = await db
    .update(methods)
    .set(change)
    .where(and(eq(methods.connectionId, connectionId), eq(methods.id, id)))
    .returning({ id: methods.id });
  return changed.length > 0;
}

/** The bank declines this method for good from now on. */
export async function forgetMethod(connectionId: string, id: string): Promise<void> {
  await db
    .update(methods)
    .set({ behaviour: "declines_hard", last4: "0000" })
    .where(and(eq(methods.connectionId, connectionId), eq(methods.id, id)));
}

export async function insertScript(
  row: Omit<typeof scripts.$inferInsert, "createdAt">,
): Promise<void> {
  await db.insert(scripts).values(row);
}

/** Takes the oldest script for this call, if any, and counts it down. */
export async function takeScript(
  executor: Executor,
  connectionId: string,
  verb: Script["verb"],
  reference: string,
): Promise<Script | undefined> {
  const next = executor.$with("next").as(
    executor
      .select({ id: scripts.id })
      .from(scripts)
      .where(
        and(
          eq(scripts.connectionId, connectionId),
          eq(scripts.verb, verb),
          gt(scripts.remaining, 0),
          or(isNull(scripts.reference), eq(scripts.reference, reference)),
        ),
      )
      .orderBy(asc(scripts.createdAt), asc(scripts.id))
      .limit(1)
      .for("update"),
  );
  const taken = await executor
    .with(next)
    .update(scripts)
    .set({ remaining: sql`${scripts.remaining} - 1` })
    .where(
      and(
        eq(scripts.connectionId, connectionId),
        inArray(scripts.id, executor.select({ id: next.id }).from(next)),
      ),
    )
    .returning();
  return taken[0];
}
