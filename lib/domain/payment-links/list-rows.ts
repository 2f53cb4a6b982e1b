import { and, eq, ilike, or, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { PaymentLinkQuery } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";
import { type LinkRow, live, value } from "./rows";

const escaped = (text: string) => text.replace(/[\\%_]/g, "\\$&");

function conditions(ctx: Ctx, query: PaymentLinkQuery) {
  const { q } = query;
  return owned(
    ctx,
    links,
    live,
    query.status ? eq(links.status, query.status) : undefined,
    query.paid === undefined
      ? undefined
      : query.paid
        ? eq(links.status, "Paid")
        : sql`${links.status} <> 'Paid'`,
    query.email === undefined ? undefined : sql`lower(${links.email}) = lower(${query.email})`,
    query.reference === undefined ? undefined : eq(links.reference, query.reference),
    query.reference_2 === undefined ? undefined : eq(links.reference2, query.reference_2),
    query.currency === undefined ? undefined : eq(links.currency, query.currency),
    query.amount_min === undefined ? undefined : sql`${links.amount} >= ${query.amount_min}`,
    query.amount_max === undefined ? undefined : sql`${links.amount} <= ${query.amount_max}`,
    query.created_from === undefined
      ? undefined
      : sql`${links.createdAt} >= ${query.created_from}::timestamptz`,
    query.created_to === undefined
      ? undefined
      : sql`${links.createdAt} <= ${query.created_to}::timestamptz`,
    query.subscription_id === undefined
      ? undefined
      : eq(links.subscriptionId, query.subscription_id),
    query.import_id === undefined ? undefined : eq(links.importId, query.import_id),
    q === undefined || q === ""
      ? undefined
      : or(
          ilike(links.title, `%${escaped(q)}%`),
          ilike(links.email, `%${escaped(q)}%`),
          ilike(links.reference, `%${escaped(q)}%`),
          ilike(links.reference2, `%${escaped(q)}%`),
          eq(links.id, q.toLowerCase()),
        ),
  );
}

const walking = new Set(["page", "per_page", "cursor", "sort"]);
const isUnfiltered = (query: PaymentLinkQuery) =>
  Object.entries(query).every(([name, value]) => value === undefined || walking.has(name));

function prepareWalk(name: string, { sort, back, position }: Walk) {
  const { where, orderBy, limit, offset } = keyset(links, {
    sort,
    back,
    limit: value("limit"),
    offset: value("offset"),
    ...(position ? { position: { value: value("positionValue"), id: value("positionId") } } : {}),
  });
  const owner = and(eq(links.businessId, value("businessId")), eq(links.mode, value("mode")), live);
  return db
    .select()
    .from(links)
    .where(and(owner, where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset)
    .prepare(name);
}

const walks = new Map<string, ReturnType<typeof prepareWalk>>();

/** The list without a filter is asked for most: its statement is built once for each way of walking. */
async function walkLinks(ctx: Ctx, walk: Walk): Promise<LinkRow[]> {
  const name = `payment_links_${walk.sort}_${walk.back ? "back" : "on"}_${walk.position ? "from" : "first"}`;
  let statement = walks.get(name);
  if (!statement) walks.set(name, (statement = prepareWalk(name, walk)));
  return statement.execute({
    businessId: ctx.businessId,
    mode: ctx.mode,
    limit: walk.limit,
    offset: walk.offset,
    positionValue: walk.position?.value,
    positionId: walk.position?.id,
  });
}

export async function listLinks(ctx: Ctx, query: PaymentLinkQuery, walk: Walk): Promise<LinkRow[]> {
  if (isUnfiltered(query)) return walkLinks(ctx, walk);
  const { where, orderBy, limit, offset } = keyset(links, walk);
  return db
    .select()
    .from(links)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countLinks(ctx: Ctx, query: PaymentLinkQuery): Promise<number> {
  return db.$count(links, conditions(ctx, query));
}
