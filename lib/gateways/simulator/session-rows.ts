import { and, asc, eq, gt, gte, inArray, isNull, lte, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import {
  simulatorCallbacks as callbacks,
  simulatorSessions as sessions,
} from "@/db/schema/simulator";
import type { Due } from "@/lib/jobs/claim-rows";
import { inMs } from "./rows";

export type Session = typeof sessions.$inferSelect;

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

const PER_PAGE = 100;

/** Payments of a connection that took money or may yet, by their ids, `cursor` being the last id of the page before. */
export async function listPaidSince(
  connectionId: string,
  since: string,
  cursor: string | null,
): Promise<{ sessions: Session[]; next: string | null }> {
  const found = await db
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.connectionId, connectionId),
        inArray(sessions.kind, ["pay", "charge"]),
        inArray(sessions.state, ["succeeded", "pending"]),
        gte(sessions.createdAt, since),
        cursor === null ? undefined : gt(sessions.id, cursor),
      ),
    )
    .orderBy(asc(sessions.id))
    .limit(PER_PAGE);
  return { sessions: found, next: found.length < PER_PAGE ? null : (found.at(-1)?.id ?? null) };
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

export async function lockSession(
  tx: Tx,
  connectionId: string,
  id: string,
): Promise<Session | undefined> {
  const [session] = await tx
    .select()
    .from(sessions)
    .where(and(eq(sessions.connectionId, connectionId), eq(sessions.id, id)))
    .for("update");
  return session;
}

const thisSession = (session: Session) =>
  and(eq(sessions.connectionId, session.connectionId), eq(sessions.id, session.id));

/** Closes an open page that has expired. Undefined when it is not open or still has time. */
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

/** Pending sessions that succeed when their time has come. */
export const settlingSessions: Due<typeof sessions> = {
  table: sessions,
  fairBy: [sessions.connectionId],
  moment: sessions.settlesAt,
  where: sql`${sessions.state} = 'pending'`,
};

/** Open pages that close when their time is over. */
export const expiringSessions: Due<typeof sessions> = {
  table: sessions,
  fairBy: [sessions.connectionId],
  moment: sessions.expiresAt,
  where: sql`${sessions.state} = 'open'`,
};

/** Lets due pending sessions of a connection succeed; only these ids when given. */
export async function settleDueSessions(
  tx: Tx,
  connectionId: string,
  ids?: readonly string[],
): Promise<Session[]> {
  return tx
    .update(sessions)
    .set({ state: "succeeded", settlesAt: null })
    .where(
      and(
        eq(sessions.connectionId, connectionId),
        eq(sessions.state, "pending"),
        lte(sessions.settlesAt, sql`now()`),
        ids && inArray(sessions.id, [...ids]),
      ),
    )
    .returning();
}

/** Closes expired open pages of a connection; only these ids when given. */
export async function expireDueSessions(
  tx: Tx,
  connectionId: string,
  ids?: readonly string[],
): Promise<Session[]> {
  return tx
    .update(sessions)
    .set({ state: "expired" })
    .where(
      and(
        eq(sessions.connectionId, connectionId),
        eq(sessions.state, "open"),
        lte(sessions.expiresAt, sql`now()`),
        ids && inArray(sessions.id, [...ids]),
      ),
    )
    .returning();
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
