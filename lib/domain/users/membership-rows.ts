import { and, eq, inArray, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { createdFilters, filtered, type Filters, sameText } from "@/db/filters";
import { keyset, type Walk } from "@/db/page";
import { users } from "@/db/schema/auth";
import { memberships } from "@/db/schema/businesses";
import type { MemberQuery } from "@/lib/contract/team";
import type { Role } from "@/lib/contract/values";
import type { Ctx } from "../context";

export type MemberRow = {
  id: string;
  name: string;
  email: string;
  role: Role;
  emailVerified: boolean;
  twoFactorEnabled: boolean | null;
  createdAt: string;
  updatedAt: string;
};
const member = {
  id: memberships.userId,
  name: users.name,
  email: users.email,
  role: memberships.role,
  emailVerified: users.emailVerified,
  twoFactorEnabled: users.twoFactorEnabled,
  createdAt: memberships.createdAt,
  updatedAt: memberships.updatedAt,
};

const filters: Filters<MemberQuery> = {
  email: (email) =>
    inArray(
      memberships.userId,
      db.select({ id: users.id }).from(users).where(sameText(users.email)(email)),
    ),
  ...createdFilters(memberships.createdAt),
};

const memberConditions = (ctx: Ctx, query: MemberQuery) =>
  and(eq(memberships.businessId, ctx.businessId), ...filtered(filters, query));

export async function listMemberRows(
  ctx: Ctx,
  query: MemberQuery,
  walk: Walk,
): Promise<MemberRow[]> {
  const { where, orderBy, limit, offset } = keyset(
    { id: memberships.userId, createdAt: memberships.createdAt },
    walk,
  );
  return db
    .select(member)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(memberConditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countMembers(ctx: Ctx, query: MemberQuery): Promise<number> {
  return db.$count(memberships, memberConditions(ctx, query));
}

const memberWith = (ctx: Ctx, on: Executor, userId: string) =>
  on
    .select(member)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.businessId, ctx.businessId), eq(memberships.userId, userId)));

export async function findMember(
  ctx: Ctx,
  on: Executor,
  userId: string,
): Promise<MemberRow | undefined> {
  const [row] = await memberWith(ctx, on, userId);
  return row;
}

/** The same, locked against a change until the transaction ends: a removal or another role waits for what the member does in it. */
export async function holdMember(ctx: Ctx, tx: Tx, userId: string): Promise<MemberRow | undefined> {
  const [row] = await memberWith(ctx, tx, userId).for("share", { of: memberships });
  return row;
}

/** The owners of the business, locked in order, so that two of them cannot leave at once. */
export async function lockOwners(ctx: Ctx, tx: Tx): Promise<string[]> {
  const rows = await tx
    .select({ id: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.businessId, ctx.businessId), eq(memberships.role, "owner")))
    .orderBy(memberships.userId)
    .for("update");
  return rows.map(({ id }) => id);
}

/** The e-mail addresses of the owners. */
export async function ownerAddresses(ctx: Ctx): Promise<string[]> {
  const rows = await db
    .select({ email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.businessId, ctx.businessId), eq(memberships.role, "owner")))
    .orderBy(users.email);
  return rows.map(({ email }) => email);
}

export async function setRole(ctx: Ctx, tx: Tx, userId: string, role: Role): Promise<void> {
  await tx
    .update(memberships)
    .set({ role, updatedAt: sql`now()` })
    .where(and(eq(memberships.businessId, ctx.businessId), eq(memberships.userId, userId)));
}

export async function deleteMember(ctx: Ctx, tx: Tx, userId: string): Promise<void> {
  await tx
    .delete(memberships)
    .where(and(eq(memberships.businessId, ctx.businessId), eq(memberships.userId, userId)));
}
