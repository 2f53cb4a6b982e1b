import type { Business, BusinessInput } from "@/lib/contract/business";
import { update } from "@/lib/domain/businesses/manage";
import type { Ctx } from "@/lib/domain/context";
import { replanSummaries } from "@/lib/domain/notifications/rows";
import { replanForZone } from "@/lib/domain/payment-links/reminder-rows";
import { replanPeriods } from "@/lib/domain/subscriptions/zone-rows";

/**
 * Replaces what staff may set of a business. With a new time zone, charges move to its midnights, and reminders and daily summaries to its mornings.
 * Subscriptions are locked before links, as renewals lock them.
 */
export const updateBusiness = (ctx: Ctx, input: BusinessInput): Promise<Business> =>
  update(ctx, input, async (tx, timeZone, formerZone) => {
    await replanPeriods(ctx, tx, timeZone);
    await replanForZone(ctx, tx);
    await replanSummaries(ctx, tx, formerZone);
  });
