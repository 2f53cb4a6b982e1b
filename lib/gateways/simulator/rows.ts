import { and, asc, eq, gt, inArray, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import {
  simulatorAccounts as accounts,
  simulatorCallbacks as callbacks,
  simulatorJournal as journal,
  simulatorMethods as methods,
  simulatorRequests as requests,
  simulatorScripts as scripts,
  simulatorSessions as sessions,
} from "@/db/schema/simulator";
import type { Behaviour } from "./rules";

export type Session = typeof sessions.$inferSelect;
export type Account = typeof accounts.$inferSelect;
export type JournalEntry = typeof journal.$inferSelect;
export type Script = typeof scripts.$inferSelect;
export type DueCallback = { connectionId: string; id: string; body: string; tries: number };

/** Milliseconds from now by the database's clock. */
const inMs = (ms: number) => sql`now() + ${Math.round(ms)}::int * interval '1 millisecond'`;

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

/** Claims a key for `subjectId`, waiting for whoever claims it right now. A key that is taken gives the row of its first request. */
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

type NewSession = Omit<typeof sessions.$inferInsert, "settlesAt" | "createdAt"> & {
  settlesInMs?: number;
};

/** False when the connection used this reference before. */
export async function insertSession(tx: Tx, { settlesInMs, ...row }: NewSession): Promise<boolean> {
  const settlesAt = settlesInMs === undefined ? null : inMs(settlesInMs);
  const made = await tx
    .insert(sessions)
    .values({ ...row, settlesAt })
    .onConflictDoNothing()
    .returning({ id: sessions.id });
  return made.length > 0;
}

export async function getSession(
  executor: Executor,
  connectionId: string,
  id: string,
): Promise<Session | undefined> {
  return (
    await executor
      .select()
      .from(sessions)
      .where(and(eq(sessions.connectionId, connectionId), eq(sessions.id, id)))
  )[0];
}

/** By the secret in the hosted page's address, which is all a payer has. */
export async function getSessionByPage(page: string): Promise<Session | undefined> {
  return (await db.select().from(sessions).where(eq(sessions.page, page)))[0];
}

export async function lockSessionByPage(tx: Tx, page: string): Promise<Session | undefined> {
  return (await tx.select().from(sessions).where(eq(sessions.page, page)).for("update"))[0];
}

export async function lockSessionByReference(
  tx: Tx,
  connectionId: string,
  reference: string,
): Promise<Session | undefined> {
  return (
    await tx
      .select()
      .from(sessions)
      .where(and(eq(sessions.connectionId, connectionId), eq(sessions.reference, reference)))
      .for("update")
  )[0];
}

const thisSession = (session: Session) =>
  and(eq(sessions.connectionId, session.connectionId), eq(sessions.id, session.id));

/** Closes an open page whose time is over. Undefined when it is not open or still has time. */
export async function expireIfDue(tx: Tx, session: Session): Promise<Session | undefined> {
  const due = and(
    thisSession(session),
    eq(sessions.state, "open"),
    lte(sessions.expiresAt, sql`clock_timestamp()`),
  );
  return (await tx.update(sessions).set({ state: "expired" }).where(due).returning())[0];
}

type Finish = Pick<Session, "state"> &
  Partial<Pick<Session, "decline" | "reason" | "methodId" | "hiddenLooks">> & {
    settlesInMs?: number;
  };

/** Moves an open session on; throws when it is no longer open, which its row lock rules out. */
export async function finishSession(
  tx: Tx,
  session: Session,
  { settlesInMs, ...change }: Finish,
): Promise<Session> {
  const settlesAt = settlesInMs === undefined ? null : inMs(settlesInMs);
  const moved = await tx
    .update(sessions)
    .set({ ...change, settlesAt })
    .where(and(thisSession(session), eq(sessions.state, "open")))
    .returning();
  if (!moved[0]) throw new Error("a simulator session was finished twice");
  return moved[0];
}

/** Whether this look-up is one of those that go unanswered; each such look uses one up. */
export async function useHiddenLook(connectionId: string, reference: string): Promise<boolean> {
  const hidden = and(
    eq(sessions.connectionId, connectionId),
    eq(sessions.reference, reference),
    gt(sessions.hiddenLooks, 0),
  );
  const used = await db
    .update(sessions)
    .set({ hiddenLooks: sql`${sessions.hiddenLooks} - 1` })
    .where(hidden)
    .returning({ id: sessions.id });
  return used.length > 0;
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

export async function insertCallback(
  tx: Tx,
  {
    dueInMs,
    ...row
  }: {
    connectionId: string;
    id: string;
    type: string;
    reference: string;
    body: string;
    dueInMs: number;
  },
): Promise<void> {
  await tx.insert(callbacks).values({ ...row, dueAt: inMs(dueInMs) });
}

const ofConnection = (
  column: typeof sessions.connectionId | typeof callbacks.connectionId,
  connectionId: string | undefined,
): SQL | undefined => (connectionId === undefined ? undefined : eq(column, connectionId));

/** Lets pending sessions succeed whose time has come (of one connection when given), skipping those another process holds. */
export async function settleDueSessions(
  tx: Tx,
  limit: number,
  connectionId?: string,
): Promise<Session[]> {
  const due = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.state, "pending"),
        lte(sessions.settlesAt, sql`now()`),
        ofConnection(sessions.connectionId, connectionId),
      ),
    )
    .orderBy(asc(sessions.settlesAt))
    .limit(limit)
    .for("update", { skipLocked: true });
  if (due.length === 0) return [];
  const theirs = and(
    eq(sessions.state, "pending"),
    inArray(
      sessions.id,
      due.map((row) => row.id),
    ),
  );
  return tx.update(sessions).set({ state: "succeeded", settlesAt: null }).where(theirs).returning();
}

/** Closes open pages whose time is over, as `settleDueSessions` does. */
export async function expireDueSessions(
  tx: Tx,
  limit: number,
  connectionId?: string,
): Promise<Session[]> {
  const due = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.state, "open"),
        lte(sessions.expiresAt, sql`now()`),
        ofConnection(sessions.connectionId, connectionId),
      ),
    )
    .orderBy(asc(sessions.expiresAt))
    .limit(limit)
    .for("update", { skipLocked: true });
  if (due.length === 0) return [];
  const theirs = and(
    eq(sessions.state, "open"),
    inArray(
      sessions.id,
      due.map((row) => row.id),
    ),
  );
  return tx.update(sessions).set({ state: "expired" }).where(theirs).returning();
}

/** Claims callbacks that are due by counting a try and moving them `leaseMs` ahead, so that a sender that dies only delays them. */
export async function claimCallbacks(options: {
  limit: number;
  leaseMs: number;
  maxTries: number;
  connectionId?: string;
}): Promise<DueCallback[]> {
  // A common table, since a subquery with a limit may be run more than once by the planner and then claim too much.
  const due = db.$with("due").as(
    db
      .select({ id: callbacks.id })
      .from(callbacks)
      .where(
        and(
          isNull(callbacks.deliveredAt),
          lte(callbacks.dueAt, sql`now()`),
          lt(callbacks.tries, options.maxTries),
          ofConnection(callbacks.connectionId, options.connectionId),
        ),
      )
      .orderBy(asc(callbacks.dueAt))
      .limit(options.limit)
      .for("update", { skipLocked: true }),
  );
  return db
    .with(due)
    .update(callbacks)
    .set({ tries: sql`${callbacks.tries} + 1`, dueAt: inMs(options.leaseMs) })
    .where(inArray(callbacks.id, db.select({ id: due.id }).from(due)))
    .returning({
      connectionId: callbacks.connectionId,
      id: callbacks.id,
      body: callbacks.body,
      tries: callbacks.tries,
    });
}

const thisCallback = (callback: DueCallback) =>
  and(eq(callbacks.connectionId, callback.connectionId), eq(callbacks.id, callback.id));

export async function markDelivered(callback: DueCallback): Promise<void> {
  await db.update(callbacks).set({ deliveredAt: sql`now()` }).where(thisCallback(callback));
}

export async function retryCallback(callback: DueCallback, afterMs: number): Promise<void> {
  await db
    .update(callbacks)
    .set({ dueAt: inMs(afterMs) })
    .where(and(thisCallback(callback), isNull(callbacks.deliveredAt)));
}

/** Makes the callbacks of a reference due again at once, delivered or not. The count is how many. */
export async function resetCallbacks(connectionId: string, reference: string): Promise<number> {
  const again = await db
    .update(callbacks)
    .set({ deliveredAt: null, tries: 0, dueAt: sql`now()` })
    .where(and(eq(callbacks.connectionId, connectionId), eq(callbacks.reference, reference)))
    .returning({ id: callbacks.id });
  return again.length;
}

/** Makes everything of a connection that waits for a time due at once: pending sessions and callbacks not delivered. */
export async function hurry(connectionId: string): Promise<void> {
  await db
    .update(sessions)
    .set({ settlesAt: sql`now()` })
    .where(and(eq(sessions.connectionId, connectionId), eq(sessions.state, "pending")));
  await db
    .update(callbacks)
    .set({ dueAt: sql`now()` })
    .where(and(eq(callbacks.connectionId, connectionId), isNull(callbacks.deliveredAt)));
}

/** Makes one pending session due at once. */
export async function hurryReference(connectionId: string, reference: string): Promise<void> {
  await db
    .update(sessions)
    .set({ settlesAt: sql`now()` })
    .where(
      and(
        eq(sessions.connectionId, connectionId),
        eq(sessions.reference, reference),
        eq(sessions.state, "pending"),
      ),
    );
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
