import { securityNotice } from "../accounts/notices";
import { findBusiness } from "../businesses/rows";
import type { Ctx, AuditContext } from "../context";
import { unscopedFindUser } from "../users/rows";
import { ownerAddresses } from "../users/membership-rows";

/**
 * Mails the owners that a member has made a sensitive call, in the transaction of that call. The owners are those before the call: one
 * who is removed by it hears of it.
 */
export async function ownersNotice(ctx: Ctx): Promise<NonNullable<AuditContext["notify"]>> {
  const [owners, business, person] = await Promise.all([
    ownerAddresses(ctx),
    findBusiness(ctx.businessId),
    unscopedFindUser(ctx.actor.id ?? ""),
  ]);
  return async (tx, { action, address, mode = ctx.mode }) => {
    // In one order everywhere: each notice locks the count of its recipient.
    for (const recipient of owners.toSorted())
      await securityNotice(tx, {
        recipient,
        action,
        person: person ? `${person.name} (${person.email})` : null,
        businessName: business?.name ?? null,
        mode,
        clientAddress: address,
      });
  };
}
