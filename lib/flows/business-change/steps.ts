import type { Business, BusinessInput } from "@/lib/contract/business";
import { update } from "@/lib/domain/businesses/manage";
import type { Ctx } from "@/lib/domain/context";
import { replanSummaries } from "@/lib/domain/notifications/rows";
import { replanForZone } from "@/lib/domain/payment-links/reminder-rows";

/** Replaces what staff may set of a business. With a new time zone, reminders and daily summaries move to its mornings. */
export const updateBusiness = (ctx: Ctx, input: BusinessInput): Promise<Business> =>
  update(ctx, input, async (tx) => {
    await replanForZone(ctx, tx);
    await replanSummaries(ctx, tx);
  });
