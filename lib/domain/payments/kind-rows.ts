import { eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { owned } from "@/db/owned";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { payments } from "@/db/schema/payments";
import type { paymentAttention } from "@/lib/contract/values";
import type { Ctx } from "../context";
import { uncountedFlags } from "./rules";

/** Counts as collected, as the triggers of `payment_sums` count. */
export const isCollected = sql`(${payments.status} in ('succeeded', 'partially_refunded', 'refunded') and ${payments.succeededAt} is not null)`;

const uncounted = sql.raw(`'{${uncountedFlags.join(",")}}'`);
/** Pays what it was for: `countsAsPaid` of the rules. */
export const isCounted = sql`(${payments.succeededAt} is not null and not (${payments.flags} && ${uncounted}))`;

const flagged = (flag: string) =>
  sql`${payments.flags} <> '{}' and ${flag} = any(${payments.flags})`;
const kept = sql`${payments.status} in ('succeeded', 'partially_refunded')`;
/** Does not pay its link, and has not all gone back. */
const isKeptBesides = sql`${payments.flags} && ${uncounted} and ${kept}`;

/** Those of the links with money that does not pay them and has not all gone back: their payers have paid. */
export async function linksWithKeptMoney(
  ctx: Ctx,
  on: Executor,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await on
    .selectDistinct({ id: payments.paymentLinkId })
    .from(payments)
    .where(owned(ctx, payments, inArray(payments.paymentLinkId, [...ids]), isKeptBesides));
  return new Set(rows.flatMap(({ id }) => id ?? []));
}

/** Whether such money of a link came after a moment. `isReal`: the moment is no test clock's, so money that a test clock dates is left out. */
export async function hasKeptMoneyAfter(
  ctx: Ctx,
  on: Executor,
  { linkId, moment, isReal }: { linkId: string; moment: string; isReal: boolean },
): Promise<boolean> {
  const [row] = await on
    .select({ id: payments.id })
    .from(payments)
    .where(
      owned(
        ctx,
        payments,
        eq(payments.paymentLinkId, linkId),
        isKeptBesides,
        gt(payments.succeededAt, moment),
        isReal ? isNull(payments.testClockId) : undefined,
      ),
    )
    .limit(1);
  return row !== undefined;
}

/**
 * The payments that need a person for a reason. A failure counts for 30 days, and only where nothing better followed. That is a later attempt of
 * its link, or a later charge of its saved method on the same terms.
 */
export function needsPerson(kind: (typeof paymentAttention)[number]): SQL {
  switch (kind) {
    case "payment_failed":
      // `offset 0` keeps the conditions from becoming joins, for which Postgres starts workers: that takes longer than the work.
      return sql`${payments.status} = 'failed' and ${payments.flags} = '{}' and ${payments.createdAt} > now() - interval '30 days'
        and not exists (select 1 from ${links} l where l.business_id = ${payments.businessId} and l.id = ${payments.paymentLinkId} and (l.status in ('Paid', 'Cancelled') or l.deleted_at is not null) offset 0)
        and not exists (select 1 from ${payments} later where later.business_id = ${payments.businessId} and later.payment_link_id = ${payments.paymentLinkId} and later.created_at > ${payments.createdAt} offset 0)
        and not exists (select 1 from ${payments} later where ${payments.paymentLinkId} is null and later.business_id = ${payments.businessId} and later.tokenization_id = ${payments.tokenizationId}
          and later.amount = ${payments.amount} and later.currency = ${payments.currency} and later.title = ${payments.title} and later.reference is not distinct from ${payments.reference} and later.status <> 'cancelled' and later.created_at > ${payments.createdAt} offset 0)`;
    case "payment_unknown":
      return sql`${payments.status} = 'unknown' and not 'amount_mismatch' = any(${payments.flags})`;
    case "payment_mismatch":
      // One that succeeded counts after all: there is nothing to resolve.
      return sql`${flagged("amount_mismatch")} and not 'resolved' = any(${payments.flags}) and ${payments.succeededAt} is null`;
    case "payment_duplicate":
      return sql`${flagged("duplicate")} and ${kept}`;
    case "payment_late":
      return sql`${flagged("late")} and ${kept}`;
  }
}
