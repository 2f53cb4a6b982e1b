import type { Role } from "@/lib/contract/values";
import {
  and,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { isoSql, NO_BUSINESS } from "@/db/columns";
import { db, type Executor, type Tx } from "@/db/client";
import { businessesOf, directory, enter, forgetEntries } from "@/db/directory";
import { createdFilters, filtered, type Filters, sameText } from "@/db/filters";
import { keyset, type Walk } from "@/db/page";
import { users } from "@/db/schema/auth";
import { businesses } from "@/db/schema/businesses";
import { invitations } from "@/db/schema/team";
import type { Invitation, InvitationQuery } from "@/lib/contract/team";
import type { Ctx } from "../context";

export type InvitationRow = typeof invitations.$inferSelect;
export type ListedInvitation = InvitationRow & {
  inviter: string | null;
  status: Invitation["status"];
};

const pending = and(
  isNull(invitations.acceptedAt),
  isNull(invitations.revokedAt),
  gt(invitations.expiresAt, sql`now()`),
) as SQL;
const byStatus: Record<Invitation["status"], SQL> = {
  pending,
  accepted: isNotNull(invitations.acceptedAt),
  revoked: and(isNull(invitations.acceptedAt), isNotNull(invitations.revokedAt)) as SQL,
  expired: and(
    isNull(invitations.acceptedAt),
    isNull(invitations.revokedAt),
    sql`${invitations.expiresAt} <= now()`,
  ) as SQL,
};
const status = sql<
  Invitation["status"]
>`case when ${byStatus.accepted} then 'accepted' when ${byStatus.revoked} then 'revoked' when ${byStatus.expired} then 'expired' else 'pending' end`;

const filters: Filters<InvitationQuery> = {
  status: (wanted) => byStatus[wanted],
  email: sameText(invitations.email),
  ...createdFilters(invitations.createdAt),
};

const conditions = (ctx: Ctx, query: InvitationQuery) =>
  and(eq(invitations.businessId, ctx.businessId), ...filtered(filters, query));

const invitationWith = (on: Executor) =>
  on
    .select({ row: invitations, inviter: users.name, status })
    .from(invitations)
    .leftJoin(users, eq(users.id, invitations.invitedBy));

export async function listInvitationRows(
  ctx: Ctx,
  query: InvitationQuery,
  walk: Walk,
): Promise<ListedInvitation[]> {
  const { where, orderBy, limit, offset } = keyset(invitations, walk);
  const rows = await invitationWith(db)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return rows.map(({ row, ...rest }) => ({ ...row, ...rest }));
}

export async function countInvitations(ctx: Ctx, query: InvitationQuery): Promise<number> {
  return db.$count(invitations, conditions(ctx, query));
}

export async function showInvitation(
  ctx: Ctx,
  on: Executor,
  id: string,
): Promise<ListedInvitation | undefined> {
  const [found] = await invitationWith(on).where(
    and(eq(invitations.businessId, ctx.businessId), eq(invitations.id, id)),
  );
  return found && { ...found.row, inviter: found.inviter, status: found.status };
}

export async function unscopedInsertInvitation(
  on: Executor,
  row: Pick<InvitationRow, "id" | "businessId" | "email" | "role" | "digest" | "invitedBy">,
): Promise<InvitationRow> {
  const [made] = await on
    .with(enter(on, "invitation", { ...row, mode: null }, row.digest))
    .insert(invitations)
    .values(row)
    .returning();
  if (!made) throw new Error("the invitation was not written");
  return made;
}

/** Ends what is pending: one invitation, all of an address, or all that a member made. Returns their roles. */
export async function endInvitations(
  ctx: Ctx,
  on: Executor,
  which: { id: string } | { email: string } | { invitedBy: string },
): Promise<Role[]> {
  const [name, value] = Object.entries(which)[0] as ["id" | "email" | "invitedBy", string];
  const rows = await on
    .update(invitations)
    .set({ revokedAt: sql`now()`, updatedAt: sql`now()` })
    .where(pendingOf(ctx, eq(invitations[name], value)))
    .returning({ role: invitations.role });
  return rows.map(({ role }) => role);
}

/** Later than each change of the row before, whenever this transaction began: no two copied links are made of the same moment. */
const next = sql`greatest(now(), (select ${invitations.updatedAt} + interval '1 microsecond'))`;

const pendingOf = (ctx: Ctx, ...conditions: SQL[]) =>
  and(eq(invitations.businessId, ctx.businessId), pending, ...conditions);

/** A pending invitation under its row lock, with the moment of its next change. */
export async function lockPending(
  ctx: Ctx,
  tx: Tx,
  id: string,
): Promise<(InvitationRow & { next: string }) | undefined> {
  const [row] = await tx
    .select({ ...getTableColumns(invitations), next: isoSql(next) })
    .from(invitations)
    .where(pendingOf(ctx, eq(invitations.id, id)))
    .for("update");
  return row;
}

/** Lets a locked invitation be accepted by this copied link, and by no earlier one. */
export async function keepLink(
  ctx: Ctx,
  tx: Tx,
  id: string,
  link: { linkDigest: string; updatedAt: string },
): Promise<void> {
  await tx
    .with(enter(tx, "invitation", { ...ctx, mode: null }, link.linkDigest))
    .update(invitations)
    .set(link)
    .where(pendingOf(ctx, eq(invitations.id, id)));
}

/** Ends the copied links of pending invitations to these roles; their mails go on. Returns how many. */
export async function endCopiedLinks(ctx: Ctx, tx: Tx, invited: readonly Role[]): Promise<number> {
  const rows = await tx
    .update(invitations)
    .set({ linkDigest: null, updatedAt: next })
    .where(
      pendingOf(ctx, inArray(invitations.role, [...invited]), isNotNull(invitations.linkDigest)),
    )
    .returning({ id: invitations.id });
  return rows.length;
}

const hasDigest = (digest: string) =>
  or(eq(invitations.digest, digest), eq(invitations.linkDigest, digest)) as SQL;

/** The invitation that a mailed or copied token opens, with the name of its business; undefined when it is used, taken back or too old. */
export async function unscopedFindInvitation(
  digest: string,
): Promise<{ invitation: InvitationRow; businessName: string | null } | undefined> {
  const [row] = await db
    .select({ invitation: invitations, businessName: businesses.name })
    .from(directory)
    .innerJoin(invitations, eq(invitations.businessId, directory.businessId))
    .leftJoin(businesses, eq(businesses.id, invitations.businessId))
    .where(
      and(
        eq(directory.kind, "invitation"),
        eq(directory.key, digest),
        eq(invitations.businessId, directory.businessId),
        hasDigest(digest),
        pending,
      ),
    );
  return row;
}

/** Uses an invitation up; undefined when another request was faster. */
export async function unscopedUseInvitation(
  tx: Tx,
  digest: string,
): Promise<InvitationRow | undefined> {
  const businessId = (await businessesOf("invitation", [digest], tx)).get(digest);
  if (businessId === undefined) return undefined;
  const [row] = await tx
    .update(invitations)
    .set({ acceptedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(invitations.businessId, businessId), hasDigest(digest), pending))
    .returning();
  return row;
}

/** Removes offers to make a business that have expired, with their addresses. Returns how many. */
export async function unscopedSweepOffers(limit = 5_000): Promise<number> {
  const expired = await db
    .select({ digest: invitations.digest })
    .from(invitations)
    .where(and(eq(invitations.businessId, NO_BUSINESS), lt(invitations.expiresAt, sql`now()`)))
    .limit(limit);
  const digests = expired.map(({ digest }) => digest);
  if (digests.length === 0) return 0;
  // Last, so that a run that breaks off is done again.
  await forgetEntries("invitation", digests);
  await db
    .delete(invitations)
    .where(and(eq(invitations.businessId, NO_BUSINESS), inArray(invitations.digest, digests)));
  return digests.length;
}
