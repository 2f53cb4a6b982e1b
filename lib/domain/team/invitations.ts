import type { Page } from "@/lib/contract/envelope";
import type { Invitation, InvitationInput, InvitationQuery } from "@/lib/contract/team";
import { newId, newToken } from "@/lib/kernel/ids";
import { conflict, notFound } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import { invitationMail } from "../accounts/mails";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { listPage } from "../lists";
import { isMember, unscopedFindUser } from "../users/rows";
import { assertMayTouch } from "./members";
import {
  countInvitations,
  endInvitations,
  findMember,
  type ListedInvitation,
  listInvitationRows,
  showInvitation,
  unscopedInsertInvitation,
} from "./rows";

const present = (row: ListedInvitation): Invitation => ({
  _id: row.id,
  email: row.email,
  role: row.role,
  status: row.status,
  invited_by: row.inviter,
  expires_at: row.expiresAt,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** A page of invitations of the business. */
export async function listInvitations(
  ctx: Ctx,
  query: InvitationQuery,
  search: URLSearchParams,
): Promise<Page<Invitation>> {
  return listPage(ctx, {
    path: "/team/invitations",
    search,
    query,
    present,
    fetch: (walk) => listInvitationRows(ctx, query, walk),
    count: () => countInvitations(ctx, query),
  });
}

/** Invites an address by mail. Throws 403 where an admin would make an owner, and 409 for a member. */
export async function invite(ctx: Ctx, input: InvitationInput): Promise<Invitation> {
  const email = input.email.toLowerCase();
  const token = newToken();
  return commit(ctx, async (tx) => {
    const inviter = await findMember(ctx, tx, ctx.actor.id ?? "");
    assertMayTouch(inviter?.role ?? "viewer", input.role);
    if (await isMember(ctx.businessId, email, tx))
      throw conflict("This address is a member's already.");
    const business = await findBusiness(ctx.businessId, tx);
    const person = await unscopedFindUser(ctx.actor.id ?? "", tx);
    if (!business || !person) throw notFound();
    await endInvitations(ctx, tx, { email });
    const row = await unscopedInsertInvitation(tx, {
      id: newId(),
      businessId: ctx.businessId,
      email,
      role: input.role,
      digest: digest(token),
      invitedBy: person.id,
    });
    await invitationMail(tx, {
      recipient: email,
      token,
      inviter: person.name,
      businessName: business.name,
      role: row.role,
      expiresAt: row.expiresAt,
    });
    if (ctx.trail) ctx.trail.details.role = input.role;
    return present({ ...row, inviter: person.name, status: "pending" });
  });
}

/** Takes an invitation back. Throws 404, also for one that is not pending. */
export async function revoke(ctx: Ctx, id: string): Promise<Invitation> {
  return commit(ctx, async (tx) => {
    if ((await endInvitations(ctx, tx, { id })) === 0) throw notFound();
    const row = await showInvitation(ctx, tx, id);
    if (!row) throw notFound();
    return present(row);
  });
}
