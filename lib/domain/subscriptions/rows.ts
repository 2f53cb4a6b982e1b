import { and, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { type CommonColumn, nowOf, statementNow } from "@/db/columns";
import { createdFilters, filtered, type Filters, is, sameText, search } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { emailsOfPhone } from "@/db/phones";
import { changeRows, inOrder, setwise } from "@/db/sets";
import { packages } from "@/db/schema/packages";
import { subscriptions } from "@/db/schema/subscriptions";
import type { SubscriptionQuery } from "@/lib/contract/subscriptions";
import type { Ctx } from "../context";
import type { PackageRow } from "../packages/rows";
import type { Versioned } from "../versions/edits";

export type SubscriptionRow = typeof subscriptions.$inferSelect;

/** Written by the database, or as the subscription changes. */
type Later =
  | "status"
  | "payerSince"
  | "currentPeriodStart"
  | "currentPeriodEnd"
  | "cancelledAt"
  | "deletedAt"
  | keyof Versioned;
type Optional = "testClockId" | "nextChargeAt";

/** Every other column: one that is added to the table must be given here to compile. */
export type SubscriptionValues = Omit<SubscriptionRow, CommonColumn | Later | Optional> &
  Partial<Pick<SubscriptionRow, Optional>>;
/** A subscription and its package, deleted packages included: what was subscribed to stays. */
export type WithPackage = SubscriptionRow & { package: PackageRow };

/** For `payerSince`: another payer from now on. */
export const payerFromNow = () => statementNow(subscriptions.payerSince);

const existing = isNull(subscriptions.deletedAt);
const samePackage = and(
  eq(packages.businessId, subscriptions.businessId),
  eq(packages.id, subscriptions.packageId),
);
const joined = (
  rows: Array<{ subscriptions: SubscriptionRow; packages: PackageRow }>,
): WithPackage[] => rows.map((row) => ({ ...row.subscriptions, package: row.packages }));

export async function insertSubscription(
  ctx: Ctx,
  on: Executor,
  id: string,
  values: SubscriptionValues,
): Promise<SubscriptionRow> {
  const [row] = await on
    .insert(subscriptions)
    .values({
      ...values,
      businessId: ctx.businessId,
      mode: ctx.mode,
      id,
      createdAt: nowOf(ctx),
      updatedAt: nowOf(ctx),
    })
    .returning();
  if (!row) throw new Error("the subscription was not written");
  return row;
}

const idOf = ({ id }: { id: string }) => id;

const found = setwise<Ctx, string, WithPackage | undefined>(async (ctx, on, ids) => {
  const rows = await on
    .select()
    .from(subscriptions)
    .innerJoin(packages, samePackage)
    .where(owned(ctx, subscriptions, inArray(subscriptions.id, [...ids]), existing));
  return inOrder(ids, joined(rows), String, idOf);
});

export const findSubscription = (
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<WithPackage | undefined> => found(ctx, on, id);

const foundEver = setwise<Ctx, string, SubscriptionRow | undefined>(async (ctx, on, ids) => {
  const rows = await on
    .select()
    .from(subscriptions)
    .where(owned(ctx, subscriptions, inArray(subscriptions.id, [...ids])));
  return inOrder(ids, rows, String, idOf);
});

/** The subscription of that id, deleted ones too. */
export const findSubscriptionEver = (
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<SubscriptionRow | undefined> => foundEver(ctx, on, id);

/** The subscription under its row lock, deleted ones too when asked; to be taken before its package's and its links'. */
export async function lockSubscription(
  ctx: Ctx,
  tx: Tx,
  id: string,
  deletedToo = false,
): Promise<SubscriptionRow | undefined> {
  const [row] = await tx
    .select()
    .from(subscriptions)
    .where(owned(ctx, subscriptions, eq(subscriptions.id, id), deletedToo ? undefined : existing))
    .for("no key update");
  return row;
}

type SubscriptionChange = { id: string; change: Partial<SubscriptionRow> };
const changeSubscriptions = setwise<Ctx, SubscriptionChange, SubscriptionRow | undefined>(
  async (ctx, tx, list) => {
    const changes = list.map(({ id, change }) => ({
      where: { id },
      set: change,
    }));
    const rows = await changeRows(tx, subscriptions, owned(ctx, subscriptions), changes, {
      updatedAt: nowOf(ctx),
    });
    return inOrder(list, rows, idOf, idOf);
  },
);

/** Changes a locked subscription. */
export async function changeSubscription(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<SubscriptionRow>,
): Promise<SubscriptionRow> {
  const row = await changeSubscriptions(ctx, tx, { id, change });
  if (!row) throw new Error("a locked subscription is gone");
  return row;
}

/** Takes a subscription out of every read; its payments, links and events stay. */
export async function markDeleted(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx
    .update(subscriptions)
    .set({ deletedAt: nowOf(ctx), nextChargeAt: null })
    .where(owned(ctx, subscriptions, eq(subscriptions.id, id)));
}

const filters: Filters<SubscriptionQuery> = {
  status: is(subscriptions.status),
  email: sameText(subscriptions.email),
  package_id: is(subscriptions.packageId),
  tokenization_id: is(subscriptions.tokenizationId),
  test_clock_id: is(subscriptions.testClockId),
  currency: is(packages.currency),
  ...createdFilters(subscriptions.createdAt),
  q: search({ texts: [subscriptions.email, packages.name], ids: [subscriptions.id] }),
};

const conditions = (ctx: Ctx, query: SubscriptionQuery) =>
  owned(ctx, subscriptions, existing, ...filtered(filters, query));

export async function listSubscriptions(
  ctx: Ctx,
  query: SubscriptionQuery,
  walk: Walk,
): Promise<WithPackage[]> {
  const { where, orderBy, limit, offset } = keyset(subscriptions, walk);
  const rows = await db
    .select()
    .from(subscriptions)
    .innerJoin(packages, samePackage)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return joined(rows);
}

/** The addresses of payers who gave a phone number that ends in these digits to a subscription that can still charge. Reads all of these. */
export const subscribersOfPhone = (ctx: Ctx, digits: string, limit: number): Promise<string[]> =>
  emailsOfPhone(subscriptions, {
    from: sql`${subscriptions}`,
    where: owned(ctx, subscriptions, existing, ne(subscriptions.status, "cancel")),
    digits,
    limit,
  });

export async function countSubscriptions(ctx: Ctx, query: SubscriptionQuery): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::integer` })
    .from(subscriptions)
    .innerJoin(packages, samePackage)
    .where(conditions(ctx, query));
  return row?.count ?? 0;
}
