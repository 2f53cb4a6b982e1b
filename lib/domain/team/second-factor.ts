import type { Tx } from "@/db/client";
import type { Member } from "@/lib/contract/team";
import { conflict, notFound } from "@/lib/kernel/problem";
import { securityNotice } from "../accounts/notices";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { noteInBusinesses } from "../users/note";
import {
  unscopedBusinessesOf,
  unscopedDropSecondFactors,
  unscopedEndProofs,
  unscopedEndSessions,
} from "../users/rows";
import { presentMember } from "./members";
import { findMember } from "../users/membership-rows";

/**
 * By another owner, for a member who lost their second factor: it goes, with passkeys and sessions. Only where the owner owns every
 * business of the member, since the account opens all of them. Throws 404, and 409 otherwise.
 */
export async function resetSecondFactor(ctx: Ctx, userId: string): Promise<Member> {
  return commit(ctx, async (tx) => {
    const before = await findMember(ctx, tx, userId);
    if (!before) throw notFound();
    await assertMayReset(ctx, tx, userId);
    await unscopedDropSecondFactors(tx, userId);
    await unscopedEndProofs(userId, tx);
    await unscopedEndSessions(tx, userId);
    await securityNotice(tx, {
      recipient: before.email,
      action: "second_factor_reset",
      person: (await findMember(ctx, tx, ctx.actor.id ?? ""))?.email ?? null,
      businessName: (await findBusiness(ctx.businessId, tx))?.name ?? null,
      mode: null,
      clientAddress: ctx.audit?.address ?? null,
    });
    await noteInBusinesses(
      tx,
      userId,
      { action: "second_factor_reset", address: ctx.audit?.address ?? null },
      ctx.actor,
    );
    if (ctx.audit) ctx.audit.details.email = before.email;
    return presentMember({ ...before, twoFactorEnabled: false });
  });
}

async function assertMayReset(ctx: Ctx, tx: Tx, userId: string): Promise<void> {
  if (userId === ctx.actor.id)
    throw conflict("Ask another owner, or the operator, to reset your own second factor.");
  const mine = await unscopedBusinessesOf(ctx.actor.id ?? "", tx);
  const owned = new Set(mine.filter(({ role }) => role === "owner").map(({ id }) => id));
  const theirs = await unscopedBusinessesOf(userId, tx);
  if (theirs.some(({ id }) => !owned.has(id)))
    throw conflict(
      "This person also belongs to a business that you do not own: ask the operator to reset their second factor.",
    );
}
