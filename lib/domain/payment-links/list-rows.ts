import { and, eq, inArray, isNotNull, isNull, notInArray, sql } from "drizzle-orm";
import { db } from "@/db/client";
import {
  amountFilters,
  createdFilters,
  filtered,
  type Filters,
  search,
  is,
  isUnfiltered,
  sameText,
} from "@/db/filters";
import { countByStatus } from "@/db/list-counts";
import { owned } from "@/db/owned";
import { fieldsOf, keyset, type ReadPart, readPage, sortedApart, type Walk } from "@/db/page";
import { emailsOfPhone, newestRows } from "@/db/phones";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { indexedText, isIndexed, walkText } from "@/db/text-search";
import { usedValues } from "@/db/used-values";
import type { PaymentLinkQuery } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";
import { USUAL_ROWS } from "../lists";
import { openStatuses } from "./rules";
import { defaultInEffect } from "./default-rows";
import { countStage, fromItsDay } from "./stage-rows";
import { anyOf, live, overdue, type ShownLink, storedColumns, shownColumns, value } from "./rows";

const searched = {
  texts: [links.title, links.email, links.reference, links.reference2],
  ids: [links.id],
};
const filters: Filters<PaymentLinkQuery> = {
  status: is(links.status),
  paid: (paid) => (paid ? eq(links.status, "Paid") : sql`${links.status} <> 'Paid'`),
  open: (open) =>
    open ? inArray(links.status, [...openStatuses]) : notInArray(links.status, [...openStatuses]),
  mailed: is(links.mailed),
  tried: is(links.tried),
  opened: (opened) => (opened ? isNotNull(links.firstOpenedAt) : isNull(links.firstOpenedAt)),
  has_expiry: (has) => (has ? isNotNull(links.expiresAt) : isNull(links.expiresAt)),
  overdue: (late) => (late ? overdue : sql`not ${overdue}`),
  email: sameText(links.email),
  reference: is(links.reference),
  reference_2: is(links.reference2),
  currency: is(links.currency),
  ...amountFilters(links.amount),
  ...createdFilters(links.createdAt),
  subscription_id: is(links.subscriptionId),
  import_id: is(links.importId),
  integration_id: is(links.integrationId),
  test_clock_id: is(links.testClockId),
  ids: anyOf,
  q: search(searched),
};

/** Filters that leave few rows, which are sorted faster than a walk in another order finds them. */
const selective = ["email", "reference", "reference_2", "subscription_id"] as const;

const conditions = (ctx: Ctx, query: PaymentLinkQuery) =>
  owned(ctx, links, live, ...filtered(filters, query));

function prepareWalk(name: string, { sort, back, position, limit, offset }: Walk) {
  const way = keyset(links, {
    sort,
    back,
    // A limit as a parameter would make Postgres plan anew at each call.
    limit,
    offset,
    ...(position ? { position: { value: value("positionValue"), id: value("positionId") } } : {}),
  });
  const owner = and(eq(links.businessId, value("businessId")), eq(links.mode, value("mode")), live);
  return db
    .select(shownColumns)
    .from(links)
    .where(and(owner, way.where))
    .orderBy(...way.orderBy)
    .limit(way.limit)
    .offset(way.offset)
    .prepare(name);
}

const walks = new Map<string, ReturnType<typeof prepareWalk>>();

/** The first page without a filter is asked for most, and those that a cursor leads to: their statements are built once for each way of walking. */
async function walkLinks(ctx: Ctx, walk: Walk): Promise<ShownLink[]> {
  const name = `payment_links_${walk.sort}_${walk.back ? "back" : "on"}_${walk.position ? "from" : "first"}`;
  let statement = walks.get(name);
  if (!statement) walks.set(name, (statement = prepareWalk(name, walk)));
  return statement.execute({
    businessId: ctx.businessId,
    mode: ctx.mode,
    positionValue: walk.position?.value,
    positionId: walk.position?.id,
  });
}

export async function listLinks(
  ctx: Ctx,
  query: PaymentLinkQuery,
  walk: Walk,
): Promise<ShownLink[]> {
  if (isUnfiltered(query) && walk.limit === USUAL_ROWS && walk.offset === 0)
    return walkLinks(ctx, walk);
  if (isIndexed(query.q))
    return walkText({
      ...searched,
      table: links,
      text: query.q,
      scope: owned(ctx, links, live),
      matches: and(...filtered(filters, query)),
      walk,
      read,
    });
  const where = conditions(ctx, query);
  if (!walk.sort.endsWith("created_at") && selective.some((name) => query[name] !== undefined)) {
    const { where: position, ...way } = keyset(links, walk);
    return read(sortedApart(links, where), { where: position, ...way });
  }
  const far = await fromItsDay(ctx, query, walk);
  return readPage(links, and(where, far.within), far.walk, read);
}

const shownFields = { ...fieldsOf(storedColumns), overdue, defaultInEffect };
const read: ReadPart<ShownLink, typeof links> = (from, { where, orderBy, limit, offset }) =>
  db
    // Drizzle reads plain columns faster.
    .select(from === links ? shownColumns : shownFields)
    .from(from as typeof links)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);

/** The addresses of payers who gave a phone number that ends in these digits, in the newest links. */
export const payersOfPhone = (
  ctx: Ctx,
  digits: string,
  { rows, limit }: { rows: number; limit: number },
): Promise<string[]> =>
  emailsOfPhone(links, { from: newestRows(links, owned(ctx, links, live), rows), digits, limit });

export const linkCurrencies = (ctx: Ctx) =>
  usedValues(links, links.currency, owned(ctx, links, live));

/** All links that the filters match, by the index for a text. */
const matching = (ctx: Ctx, query: PaymentLinkQuery) =>
  and(conditions(ctx, query), isIndexed(query.q) ? indexedText(searched, query.q) : undefined);

/** How many links the filters match. A status or a stage alone is counted as links are written, anything else row by row. */
export async function countLinks(ctx: Ctx, query: PaymentLinkQuery): Promise<number> {
  const { status, ...others } = query;
  if (isUnfiltered(others)) return countByStatus(ctx, "payment_links", status && [status]);
  const kept = await countStage(ctx, query);
  if (kept !== undefined) return kept;
  return db.$count(links, matching(ctx, query));
}

/** The addresses of these links. */
export async function addressesOf(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ email: links.email })
    .from(links)
    .where(owned(ctx, links, live, anyOf(ids)));
  return rows.map(({ email }) => email);
}

/** What the links ask for that the filters match, row by row. */
export const sumLinks = (ctx: Ctx, query: PaymentLinkQuery) =>
  db
    .select({
      currency: links.currency,
      count: sql<number>`count(*)::int`,
      amount: sql<number>`sum(${links.amount})::float8`,
    })
    .from(links)
    .where(matching(ctx, query))
    .groupBy(links.currency)
    .orderBy(links.currency);

/** The ids of the links that the filters match, of these ids alone where given: the oldest first, at most `limit`. */
export async function matchingLinks(
  ctx: Ctx,
  query: PaymentLinkQuery,
  ids: readonly string[] | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .select({ id: links.id })
    .from(links)
    .where(and(matching(ctx, query), ids && anyOf(ids)))
    .orderBy(links.createdAt, links.id)
    .limit(limit);
  return rows.map(({ id }) => id);
}
