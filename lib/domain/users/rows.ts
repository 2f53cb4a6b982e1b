import type { Role } from "@/lib/contract/values";
import { and, asc, desc, eq, gt, inArray, lt, ne, sql } from "drizzle-orm";
import { togetherBy } from "@/db/batched";
import { db, type Executor, type Tx } from "@/db/client";
import {
  accounts,
  passkeys,
  sessions,
  twoFactors,
  usedCodes,
  users,
  verifications,
} from "@/db/schema/auth";
import { businesses, type Logo, memberships } from "@/db/schema/businesses";

export type UserRow = typeof users.$inferSelect;
export type SessionRow = Pick<
  typeof sessions.$inferSelect,
  "id" | "ipAddress" | "userAgent" | "createdAt" | "updatedAt" | "expiresAt" | "token"
>;

const lower = (email: string) => email.trim().toLowerCase();

export async function unscopedFindUserByEmail(
  email: string,
  on: Executor = db,
): Promise<UserRow | undefined> {
  const [row] = await on
    .select()
    .from(users)
    .where(eq(users.email, lower(email)));
  return row;
}

export async function unscopedFindUser(
  id: string,
  on: Executor = db,
): Promise<UserRow | undefined> {
  const [row] = await on.select().from(users).where(eq(users.id, id));
  return row;
}

/** The same, locked: whether the address is proven does not change until the transaction ends. */
export async function unscopedLockUserByEmail(email: string, tx: Tx): Promise<UserRow | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(eq(users.email, lower(email)))
    .for("update");
  return row;
}

export async function unscopedLockUser(id: string, tx: Tx): Promise<UserRow | undefined> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for("update");
  return row;
}

/** Writes a person with a password; undefined when the address is taken. */
export async function unscopedInsertUser(
  on: Executor,
  user: { name: string; email: string; emailVerified: boolean },
  passwordHash: string,
): Promise<UserRow | undefined> {
  const [row] = await on
    .insert(users)
    .values({ ...user, email: lower(user.email) })
    .onConflictDoNothing()
    .returning();
  if (row)
    await on.insert(accounts).values({
      userId: row.id,
      accountId: row.id,
      providerId: "credential",
      password: passwordHash,
    });
  return row;
}

/** A new password; all sessions and reset links end. */
export async function unscopedSetPassword(
  on: Executor,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await on
    .insert(accounts)
    .values({ userId, accountId: userId, providerId: "credential", password: passwordHash })
    .onConflictDoUpdate({
      target: [accounts.userId, accounts.providerId],
      set: { password: passwordHash, updatedAt: sql`now()` },
    });
  await on.delete(sessions).where(eq(sessions.userId, userId));
  await unscopedEndProofs(userId, on);
}

/** Takes a person's second factors away: authenticator app, recovery codes and passkeys. */
export async function unscopedDropSecondFactors(on: Executor, userId: string): Promise<void> {
  await on.delete(twoFactors).where(eq(twoFactors.userId, userId));
  await on.delete(passkeys).where(eq(passkeys.userId, userId));
  await on
    .update(users)
    .set({ twoFactorEnabled: false, updatedAt: sql`now()` })
    .where(eq(users.id, userId));
}

/** Ends what was mailed or handed out to get in by: reset links, half-finished sign-ins, devices that were trusted. */
export async function unscopedEndProofs(userId: string, on: Executor = db): Promise<void> {
  await on.delete(verifications).where(eq(verifications.value, userId));
}

/** Takes away all that opened an account: password, sessions, reset links, passkeys, second factors. Memberships stay, but open nothing until the address is proven. */
export async function unscopedDropCredentials(on: Executor, userId: string): Promise<void> {
  await on.delete(accounts).where(eq(accounts.userId, userId));
  await on.delete(sessions).where(eq(sessions.userId, userId));
  await unscopedEndProofs(userId, on);
  await unscopedDropSecondFactors(on, userId);
  await on
    .update(memberships)
    .set({ joinedByLink: false, updatedAt: sql`now()` })
    .where(eq(memberships.userId, userId));
}

const PROOF_MINUTES = 10;

/** Whether the sign-in or a later proof is recent enough for sensitive calls. `greatest` ignores null. */
const recentProof = sql<boolean>`greatest(${sessions.createdAt}, ${sessions.provenAt}) > now() - make_interval(mins => ${sql.raw(String(PROOF_MINUTES))})`;

const bySession = db
  .select({
    userId: users.id,
    role: memberships.role,
    open: sql<boolean>`${users.emailVerified} or coalesce(${memberships.joinedByLink}, false)`,
    recentProof,
  })
  .from(sessions)
  .innerJoin(users, eq(users.id, sessions.userId))
  .leftJoin(
    memberships,
    and(
      eq(memberships.userId, users.id),
      eq(memberships.businessId, sql.placeholder("businessId")),
    ),
  )
  .where(and(eq(sessions.token, sql.placeholder("digest")), gt(sessions.expiresAt, sql`now()`)))
  .prepare("staff_by_session");

/** For authentication: the owner of the session, the role in the named business (null for strangers), and whether that is open to the account; undefined without a session. */
export async function unscopedFindStaff(
  digest: string,
  businessId: number,
): Promise<{ userId: string; role: Role | null; open: boolean; recentProof: boolean } | undefined> {
  const [row] = await bySession.execute({ digest, businessId });
  return row;
}

/** For a call of a person about themselves: the session that is valid now, by its digest. */
export async function unscopedFindSession(
  digest: string,
): Promise<{ sessionId: string; user: UserRow; recentProof: boolean } | undefined> {
  const [row] = await db
    .select({ sessionId: sessions.id, user: users, recentProof })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.token, digest), gt(sessions.expiresAt, sql`now()`)));
  return row;
}

/** Notes that the person of a session has just proven who they are. */
export async function unscopedNoteProof(sessionId: string): Promise<void> {
  await db.update(sessions).set({ provenAt: sql`now()` }).where(eq(sessions.id, sessionId));
}

/** Who signs in with an address, and the hash of their password (null where none is set); undefined for an unknown address. */
export async function unscopedFindCredential(
  email: string,
): Promise<{ userId: string; passwordHash: string | null } | undefined> {
  const [row] = await db
    .select({ userId: users.id, passwordHash: accounts.password })
    .from(users)
    .leftJoin(accounts, and(eq(accounts.userId, users.id), eq(accounts.providerId, "credential")))
    .where(eq(users.email, lower(email)));
  return row;
}

/** The hash of a person's password; null where none is set. A change that is under way is waited for, so that it is not missed. */
export async function unscopedPasswordHash(userId: string): Promise<string | null> {
  const [row] = await db
    .select({ hash: accounts.password })
    .from(accounts)
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, "credential")))
    .for("share");
  return row?.hash ?? null;
}

/** Whether a passkey is a person's. A removal that is under way is waited for. */
export async function unscopedHoldsPasskey(userId: string, credentialId: string): Promise<boolean> {
  const rows = await db
    .select({ id: passkeys.id })
    .from(passkeys)
    .where(and(eq(passkeys.userId, userId), eq(passkeys.credentialID, credentialId)))
    .for("share");
  return rows.length > 0;
}

/** The sessions of a person that are valid now, the newest first. */
export async function unscopedListSessions(userId: string): Promise<SessionRow[]> {
  return db
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(desc(sessions.createdAt));
}

/** Ends one session of a person; undefined without one. */
export async function unscopedEndSession(
  userId: string,
  id: string,
): Promise<SessionRow | undefined> {
  const [row] = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.id, id)))
    .returning();
  return row;
}

export async function unscopedRename(
  userId: string,
  name: string,
  on: Executor = db,
): Promise<UserRow> {
  const [row] = await on
    .update(users)
    .set({ name, updatedAt: sql`now()` })
    .where(eq(users.id, userId))
    .returning();
  if (!row) throw new Error("a person who is signed in is gone");
  return row;
}

/** Ends all sessions of a person. */
export async function unscopedEndSessions(on: Executor, userId: string): Promise<void> {
  await on.delete(sessions).where(eq(sessions.userId, userId));
}

/** Ends all sessions of a person but one; answers those that ended. */
export async function unscopedEndOtherSessions(
  userId: string,
  kept: string,
): Promise<SessionRow[]> {
  return db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), ne(sessions.id, kept)))
    .returning();
}

/** The businesses a person is a member of, by name. */
export async function unscopedBusinessesOf(
  userId: string,
  on: Executor = db,
): Promise<
  Array<{
    id: number;
    name: string;
    timeZone: string;
    role: Role;
    logo: Logo | null;
    joinedByLink: boolean;
  }>
> {
  return on
    .select({
      id: businesses.id,
      name: businesses.name,
      timeZone: businesses.timeZone,
      role: memberships.role,
      joinedByLink: memberships.joinedByLink,
      logo: businesses.logo,
    })
    .from(memberships)
    .innerJoin(businesses, eq(businesses.id, memberships.businessId))
    .where(eq(memberships.userId, userId))
    .orderBy(asc(businesses.name), asc(businesses.id));
}

/** Makes a person a member; false when they are one already. */
export async function insertMembership(
  on: Executor,
  businessId: number,
  userId: string,
  role: Role,
  joinedByLink: boolean,
): Promise<boolean> {
  const rows = await on
    .insert(memberships)
    .values({ businessId, userId, role, joinedByLink })
    .onConflictDoNothing()
    .returning({ role: memberships.role });
  return rows.length === 1;
}

/** Whether an address is that of a member who has proven to own it. */
export const isVerifiedMember = (businessId: number, email: string): Promise<boolean> =>
  verifiedTogether({ businessId, email: lower(email) });

const verifiedTogether = togetherBy<{ businessId: number; email: string }, boolean>(
  ({ businessId }) => String(businessId),
  async (list) => {
    const emails = [...new Set(list.map(({ email }) => email))];
    const rows = await db
      .select({ email: users.email })
      .from(users)
      .innerJoin(memberships, eq(memberships.userId, users.id))
      .where(
        and(
          inArray(users.email, emails),
          eq(users.emailVerified, true),
          eq(memberships.businessId, list[0]?.businessId ?? 0),
        ),
      );
    const found = new Set(rows.map(({ email }) => email));
    return list.map(({ email }) => found.has(email));
  },
);

/** Whether an address is a member's. */
export async function isMember(
  businessId: number,
  email: string,
  on: Executor = db,
): Promise<boolean> {
  const rows = await on
    .select({ id: users.id })
    .from(users)
    .innerJoin(memberships, eq(memberships.userId, users.id))
    .where(and(eq(users.email, lower(email)), eq(memberships.businessId, businessId)));
  return rows.length > 0;
}

/** Notes that a person has proven to own their address. */
export async function markVerified(on: Executor, userId: string): Promise<void> {
  await on
    .update(users)
    .set({ emailVerified: true, updatedAt: sql`now()` })
    .where(eq(users.id, userId));
}

/** Notes a one-time code as used; false when the same one was used in the last minutes. */
export async function unscopedUseCode(userId: string, digest: string): Promise<boolean> {
  await db
    .delete(usedCodes)
    .where(
      and(eq(usedCodes.userId, userId), lt(usedCodes.usedAt, sql`now() - interval '5 minutes'`)),
    );
  const rows = await db
    .insert(usedCodes)
    .values({ userId, digest })
    .onConflictDoNothing()
    .returning({ digest: usedCodes.digest });
  return rows.length === 1;
}

/** Removes what has no use any more: sessions and proofs past their time, used codes of yesterday. Returns how many. */
export async function unscopedSweepSignIns(): Promise<number> {
  const [ended, spent, codes] = await Promise.all([
    db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`)),
    db.delete(verifications).where(lt(verifications.expiresAt, sql`now()`)),
    db.delete(usedCodes).where(lt(usedCodes.usedAt, sql`now() - interval '1 day'`)),
  ]);
  return [ended, spent, codes].reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}
