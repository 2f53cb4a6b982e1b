import {
  countMembers,
  deleteMember,
  findMember,
  holdMember,
  listMemberRows,
  lockOwners,
  type MemberRow,
  setRole,
} from "../users/membership-rows";
import type { Role } from "@/lib/contract/values";
import type { Page } from "@/lib/contract/envelope";
import type { Endings, Member, MemberQuery, MemberSecrets } from "@/lib/contract/team";
import { conflict, notFound, Problem } from "@/lib/kernel/problem";
import { db, type Tx } from "@/db/client";
import { notifyAccessChanged } from "@/db/notify";
import type { ApiKey } from "@/lib/contract/api-keys";
import type { MemberIntegration } from "@/lib/contract/integrations";
import { type Mode, roles } from "@/lib/contract/values";
import { presentKey } from "../api-keys/present";
import { endKeysMadeBy, listKeysMadeBy } from "../api-keys/rows";
import { signingSecretsSeenBy } from "../audit/seen-rows";
import { rollSeenBy } from "../businesses/manage";
import type { Ctx } from "../context";
import { commitHeld } from "../idempotency/commit";
import { replaceShownTo, shownTo } from "../integrations/manage";
import { listPage } from "../lists";
import { disableChosenBy, knownTo } from "../webhooks/known";
import { endCopiedLinks, endInvitations } from "./rows";

/** A member as the API answers one. */
export const presentMember = (row: MemberRow): Member => ({
  _id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  email_verified: row.emailVerified,
  two_factor_enabled: row.twoFactorEnabled ?? false,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** A page of the people who may act for the business. */
export async function listMembers(
  ctx: Ctx,
  query: MemberQuery,
  search: URLSearchParams,
): Promise<Page<Member>> {
  return listPage(ctx, {
    path: "/team/members",
    search,
    query,
    present: presentMember,
    fetch: (walk) => listMemberRows(ctx, query, walk),
    count: () => countMembers(ctx, query),
  });
}

/** Throws 403 when a member who is no owner would add, change or remove an owner. */
export function assertMayTouch(actor: Role, ...roles: Role[]): void {
  if (actor !== "owner" && roles.includes("owner"))
    throw new Problem(403, "forbidden", "Only an owner may make, change or remove an owner.");
}

const manages = (role: Role) => role === "owner" || role === "admin";

/** The member who calls, as they are until this transaction ends. Throws 403 where their role is none of these any more. */
export async function callingMember(
  ctx: Ctx,
  tx: Tx,
  isAllowed: (role: Role) => boolean,
): Promise<MemberRow> {
  const member = await holdMember(ctx, tx, ctx.actor.id ?? "");
  if (!member || !isAllowed(member.role))
    throw new Problem(403, "forbidden", "Your role does not allow this.");
  return member;
}

/** The same. Throws 403 where they no longer manage the team. */
export const managerOf = (ctx: Ctx, tx: Tx): Promise<MemberRow> => callingMember(ctx, tx, manages);

async function touch(ctx: Ctx, tx: Tx, userId: string, next: Role | null): Promise<MemberRow> {
  const owners = await lockOwners(ctx, tx);
  const before = await findMember(ctx, tx, userId);
  if (!before) throw notFound();
  const actor = await managerOf(ctx, tx);
  assertMayTouch(actor.role, before.role, next ?? before.role);
  if (owners.length === 1 && owners[0] === userId && next !== "owner")
    throw conflict("This is the last owner: make another member an owner first.");
  if (ctx.audit)
    Object.assign(
      ctx.audit.details,
      next === null ? { role: before.role } : { role: { before: before.role, after: next } },
    );
  return before;
}

/** Ends what a member has handed out. Who copied a link is not kept, so all links that the member could copy end. */
async function endInfluence(ctx: Ctx, tx: Tx, { id, role }: MemberRow): Promise<void> {
  const ended = await endInvitations(ctx, tx, { invitedBy: id });
  const copyable = manages(role) ? roles.slice(roles.indexOf(role)) : [];
  const links = await endCopiedLinks(ctx, tx, copyable);
  if (ctx.audit && ended.length > 0) ctx.audit.details.invitations_revoked = ended.length;
  if (ctx.audit && links > 0) ctx.audit.details.copied_links_ended = links;
}

/** Ends what works without the member's session, as far as it is asked for. Their membership is locked, so that a call of theirs adds nothing. */
async function endKeys(ctx: Ctx, tx: Tx, userId: string, asked: Endings): Promise<void> {
  const keys = asked.revoke_api_keys ? await endKeysMadeBy(tx, ctx.businessId, userId) : [];
  const plugins = asked.replace_integration_keys ? await replaceShownTo(ctx, tx, userId) : [];
  const rolled = asked.roll_signing_secrets ? await rollSeenBy(ctx, tx, userId) : [];
  const disabled = asked.disable_webhook_endpoints ? await disableChosenBy(ctx, tx, userId) : [];
  if (!ctx.audit) return;
  const { address, details, notify } = ctx.audit;
  const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);
  const modesOf = (list: readonly { mode: Mode }[]) => new Set(list.map(({ mode }) => mode));
  if (keys.length > 0) details.api_keys_revoked = keys;
  if (plugins.length > 0) details.integration_keys_replaced = idsOf(plugins);
  if (rolled.length > 0) details.signing_secrets_rolled = rolled;
  if (disabled.length > 0) details.webhook_endpoints_disabled = idsOf(disabled);
  // Shops and programs stop now, of which the notice about the member says nothing.
  for (const [action, modes] of [
    ["replaceIntegrationKeys", modesOf(plugins)],
    ["rollSigningSecret", rolled],
    ["webhook_endpoints_disabled", modesOf(disabled)],
  ] as const)
    for (const mode of modes) await notify?.(tx, { action, address, mode });
}

/**
 * Gives a member another role. One that is less takes along the invitations that the member made, and copied links. Throws 404, 403 where
 * owners are concerned, and 409 for the last owner.
 */
export async function changeRole(
  ctx: Ctx,
  userId: string,
  role: Role,
  asked: Endings,
): Promise<Member> {
  return commitHeld(ctx, async (tx) => {
    const before = await touch(ctx, tx, userId, role);
    await setRole(ctx, tx, userId, role);
    if (roles.indexOf(role) > roles.indexOf(before.role)) await endInfluence(ctx, tx, before);
    await endKeys(ctx, tx, userId, asked);
    await notifyAccessChanged(tx, ctx.businessId, userId);
    const after = await findMember(ctx, tx, userId);
    if (!after) throw notFound();
    return presentMember(after);
  });
}

/** The API keys of both modes that a member made and that still work. Throws 404. */
export async function memberKeys(ctx: Ctx, userId: string): Promise<ApiKey[]> {
  if (!(await findMember(ctx, db, userId))) throw notFound();
  return (await listKeysMadeBy(ctx.businessId, userId)).map(presentKey);
}

/** The shop plugins of both modes of which a member was shown a password. Throws 404. */
export async function memberIntegrations(ctx: Ctx, userId: string): Promise<MemberIntegration[]> {
  if (!(await findMember(ctx, db, userId))) throw notFound();
  return shownTo(ctx, userId);
}

/** The webhook endpoints and signing secrets that a member knows, of both modes. Throws 404. */
export async function memberSecrets(ctx: Ctx, userId: string): Promise<MemberSecrets> {
  if (!(await findMember(ctx, db, userId))) throw notFound();
  const [webhooks, modes] = await Promise.all([
    knownTo(ctx, userId),
    signingSecretsSeenBy(db, ctx.businessId, userId),
  ]);
  return { webhook_endpoints: webhooks, signing_secrets: modes };
}

/**
 * Takes a member out of the business: their sessions see nothing of it any more. With them go the invitations that they made or that would let
 * them back in, and copied links. Throws as `changeRole`.
 */
export async function removeMember(ctx: Ctx, userId: string, asked: Endings): Promise<Member> {
  return commitHeld(ctx, async (tx) => {
    const before = await touch(ctx, tx, userId, null);
    await deleteMember(ctx, tx, userId);
    await endInvitations(ctx, tx, { email: before.email });
    await endInfluence(ctx, tx, before);
    await endKeys(ctx, tx, userId, asked);
    await notifyAccessChanged(tx, ctx.businessId, userId);
    if (ctx.audit) ctx.audit.details.email = before.email;
    return presentMember(before);
  });
}
