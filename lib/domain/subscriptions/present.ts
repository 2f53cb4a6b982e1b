import type { Executor } from "@/db/client";
import type { PeriodLink, Subscription } from "@/lib/contract/subscriptions";
import type * as z from "zod";
import type { Ctx } from "../context";
import { presentPackage } from "../packages/present";
import { presentLink } from "../payment-links/present";
import { type LinkRow, periodLinks } from "../payment-links/rows";
import type { WithPackage } from "./rows";
import { shownPeriodLinks } from "./rules";

/** A subscription with all that its answer embeds. */
export type Embedded = WithPackage & { links: LinkRow[] };

/** Adds the period links to any number of subscriptions, in one statement. */
export async function embedLinks(ctx: Ctx, on: Executor, rows: WithPackage[]): Promise<Embedded[]> {
  const links = await periodLinks(
    ctx,
    on,
    rows.map((row) => row.id),
    shownPeriodLinks,
  );
  const bySubscription = Map.groupBy(links, (link) => link.subscriptionId);
  return rows.map((row) => ({ ...row, links: bySubscription.get(row.id) ?? [] }));
}

function presentPeriodLink(row: LinkRow): z.output<typeof PeriodLink> {
  return { ...presentLink(row), period_start: row.periodStart, period_end: row.periodEnd };
}

/** A subscription as the API answers it. */
export function presentSubscription(row: Embedded): Subscription {
  return {
    _id: row.id,
    package_id: row.packageId,
    email: row.email,
    phone_no: row.phoneNo,
    status: row.status,
    business_id: row.businessId,
    tokenization_id: row.tokenizationId,
    current_period_start: row.currentPeriodStart,
    current_period_end: row.currentPeriodEnd,
    next_charge_at: row.nextChargeAt,
    test_clock_id: row.testClockId,
    cancelled_at: row.cancelledAt,
    version: row.version,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    package: presentPackage(row.package),
    payment_links: row.links.map(presentPeriodLink),
  };
}
