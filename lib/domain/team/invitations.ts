import type { MemberRow } from "../users/membership-rows";
import { db, type Tx } from "@/db/client";
import type { Page } from "@/lib/contract/envelope";
import type {
  Invitation,
  InvitationInput,
  InvitationLink,
  InvitationQuery,
} from "@/lib/contract/team";
import { env } from "@/lib/env";
import { newId, newToken } from "@/lib/kernel/ids";
import { consume } from "@/lib/domain/limits/limits";
import { conflict, notFound, unverified } from "@/lib/kernel/problem";
import { digest, signature } from "@/lib/kernel/secrets";
import { invitationMail } from "../accounts/mails";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { commitHeld } from "../idempotency/commit";
import { listPage } from "../lists";
import { type MailRow, unscopedMailsOfInvitations } from "../mails/rows";
import { isMember } from "../users/rows";
import { assertMayTouch, managerOf } from "./members";
import {
  countInvitations,
  endInvitations,
  type ListedInvitation,
  keepLink,
  listInvitationRows,
  lockPending,
  showInvitation,
  unscopedInsertInvitation,
} from "./rows";

type InvitationMail = Pick<MailRow, "status" | "error">;

const present = (row: ListedInvitation, mail?: InvitationMail): Invitation => ({
  _id: row.id,
  email: row.email,
  role: row.role,
  status: row.status,
  invited_by: row.inviter,
  mail_status: mail?.status ?? null,
  mail_error: mail?.error ?? null,
  expires_at: row.expiresAt,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** With what became of its mail, which belongs to no business. */
async function presentOne(tx: Tx, row: ListedInvitation): Promise<Invitation> {
  const mails = await unscopedMailsOfInvitations(tx, [row.id]);
  return present(row, mails.get(row.id));
}

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
    present: (row: ListedInvitation & { mail?: InvitationMail }) => present(row, row.mail),
    fetch: async (walk) => {
      const rows = await listInvitationRows(ctx, query, walk);
      const mails = await unscopedMailsOfInvitations(
        db,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => ({ ...row, mail: mails.get(row.id) }));
    },
    count: () => countInvitations(ctx, query),
  });
}

/** The manager who calls, who must have proven their address to invite. Throws 403. */
async function inviterOf(ctx: Ctx, tx: Tx): Promise<MemberRow> {
  const inviter = await managerOf(ctx, tx);
  if (!inviter.emailVerified) throw unverified();
  return inviter;
}

/** Throws 409 when the address belongs to a member. */
async function assertNoMember(ctx: Ctx, tx: Tx, email: string): Promise<void> {
  if (await isMember(ctx.businessId, email, tx))
    throw conflict("This address already belongs to a member.");
}

/** Invites an address by mail. Throws 403 where an admin would make an owner or replace an owner's invitation, 409 for a member, and 429. */
export async function invite(ctx: Ctx, input: InvitationInput): Promise<Invitation> {
  const email = input.email.toLowerCase();
  const token = newToken();
  return commitHeld(ctx, async (tx) => {
    const inviter = await inviterOf(ctx, tx);
    assertMayTouch(inviter.role, input.role);
    await assertNoMember(ctx, tx, email);
    const business = await findBusiness(ctx.businessId, tx);
    if (!business) throw notFound();
    await consume("account_mail_business", String(ctx.businessId), 1, tx);
    await consume("account_mail_sender", inviter.id, 1, tx);
    assertMayTouch(inviter.role, ...(await endInvitations(ctx, tx, { email })));
    // Asked again: that has waited for an acceptance of an earlier invitation.
    await assertNoMember(ctx, tx, email);
    const row = await unscopedInsertInvitation(tx, {
      id: newId(),
      businessId: ctx.businessId,
      email,
      role: input.role,
      digest: digest(token),
      invitedBy: inviter.id,
    });
    await invitationMail(tx, {
      id: row.id,
      recipient: email,
      token,
      inviter: inviter.name,
      businessName: business.name,
      role: row.role,
      expiresAt: row.expiresAt,
    });
    if (ctx.audit) ctx.audit.details.role = input.role;
    return presentOne(tx, { ...row, inviter: inviter.name, status: "pending" });
  });
}

const linkToken = (id: string, since: string) => signature(`${id} ${since}`, "invitation");

/**
 * The link by which an invitation is accepted without its mail: the same one each time, until it is ended. It proves no address. Throws 403
 * as `invite`, and 404 for an invitation that is not pending.
 */
export async function issueInvitationLink(ctx: Ctx, id: string): Promise<InvitationLink> {
  return commitHeld(ctx, async (tx) => {
    const inviter = await inviterOf(ctx, tx);
    const row = await lockPending(ctx, tx, id);
    if (!row) throw notFound();
    assertMayTouch(inviter.role, row.role);
    let token = linkToken(id, row.updatedAt);
    if (row.linkDigest !== digest(token)) {
      token = linkToken(id, row.next);
      await keepLink(ctx, tx, id, { linkDigest: digest(token), updatedAt: row.next });
    }
    return { _id: id, url: `${env.BASE_URL}/invitation#${token}` };
  });
}

/** Takes an invitation back. Throws 404, also for one that is not pending, and 403 where an admin would end an owner's invitation. */
export async function revoke(ctx: Ctx, id: string): Promise<Invitation> {
  return commitHeld(ctx, async (tx) => {
    const manager = await managerOf(ctx, tx);
    const ended = await endInvitations(ctx, tx, { id });
    if (ended.length === 0) throw notFound();
    assertMayTouch(manager.role, ...ended);
    const row = await showInvitation(ctx, tx, id);
    if (!row) throw notFound();
    return presentOne(tx, row);
  });
}
