import type { LastEdit } from "@/lib/contract/last-edit";
import type { versionedKinds } from "@/lib/contract/values";
import { notFound } from "@/lib/kernel/problem";
import { named } from "../actors/named";
import { namesOf } from "../actors/rows";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { findCustomer } from "../customers/rows";
import { eventsAbout } from "../events/rows";
import { findPackage } from "../packages/rows";
import { findLink } from "../payment-links/rows";
import { findSubscription } from "../subscriptions/rows";
import type { Versioned } from "../versions/edits";
import { findEndpoint } from "../webhooks/rows";

type Kind = (typeof versionedKinds)[number];

const find: Record<Kind, (ctx: Ctx, id: string) => Promise<Versioned | undefined>> = {
  payment_link: (ctx, id) => findLink(ctx, id),
  package: (ctx, id) => findPackage(ctx, id),
  subscription: (ctx, id) => findSubscription(ctx, id),
  customer: (ctx, id) => findCustomer(ctx, id),
  webhook_endpoint: (ctx, id) => findEndpoint(ctx, id),
  business: ({ businessId }) => findBusiness(businessId),
};

/** The version of a record, who made it and when; of a deleted one, who deleted it. Throws 404. */
export async function lastEdit(
  ctx: Ctx,
  { kind, id = "" }: { kind: Kind; id?: string | undefined },
): Promise<LastEdit> {
  const row = await find[kind](ctx, id);
  if (!row) return deletion(ctx, kind, id);
  const { version, changedBy, changedAt } = row;
  return {
    version,
    changed_by: changedBy && named(changedBy, await namesOf(ctx, [changedBy])),
    changed_at: changedAt,
    deleted: false,
  };
}

async function deletion(ctx: Ctx, kind: Kind, id: string): Promise<LastEdit> {
  const [last] = id ? await eventsAbout(ctx, id, 1) : [];
  if (last?.type !== `${kind}.deleted`) throw notFound();
  const { version } = last.data;
  return {
    version: typeof version === "number" ? version : 1,
    changed_by: named(last.actor, await namesOf(ctx, [last.actor])),
    changed_at: last.createdAt,
    deleted: true,
  };
}
