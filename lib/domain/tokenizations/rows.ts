import { nowSql } from "@/db/columns";
import { and, asc, desc, eq, getTableColumns, inArray, notInArray, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import type { ClaimColumn, CommonColumn } from "@/db/columns";
import { directory, enter, entryOf } from "@/db/directory";
import { createdFilters, filtered, type Filters, is, sameText, search } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { emailsOfPhone, newestRows } from "@/db/phones";
import { changeRows, inOrder, type RowChange, setwise } from "@/db/sets";
import { tokenizations } from "@/db/schema/tokenizations";
import type { TokenizationQuery } from "@/lib/contract/tokenizations";
import type { Money } from "@/lib/gateways/gateway";
import { gatewaysRefusing } from "@/lib/gateways/registry";
import { digest } from "@/lib/kernel/secrets";
import type { Due } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";

export type TokenizationRow = typeof tokenizations.$inferSelect;

/** Written by the database, or as the payer activates the token. */
type Later =
  | "status"
  | "expiresAt"
  | "activatedAt"
  | "gateway"
  | "connectionId"
  | "methodId"
  | "brand"
  | "last4"
  | "exp"
  | "attempt"
  | "attemptAt"
  | "attemptUrl"
  | "attemptGatewayId"
  | "notice"
  | "nextCheckAt"
  | "checks"
  | ClaimColumn;

/** Every other column: one that is added to the table must be given here to compile. */
export type TokenizationValues = Omit<TokenizationRow, CommonColumn | Later>;

/** Writes a pending token that expires after 72 hours. */
export async function insertTokenization(
  ctx: Ctx,
  on: Executor,
  id: string,
  values: TokenizationValues,
): Promise<TokenizationRow> {
  const [row] = await on
    .with(enter(on, "tokenization", ctx, id, values.tokenDigest))
    .insert(tokenizations)
    .values({
      ...values,
      businessId: ctx.businessId,
      mode: ctx.mode,
      id,
      expiresAt: sql`now() + interval '72 hours'`,
    })
    .returning();
  if (!row) throw new Error("the tokenization was not written");
  return row;
}

const isToken = (text: string) => /^[0-9a-f]{64}$/.test(text);

/** By the token, or by the record's id. */
export async function find(
  ctx: Ctx,
  token: string,
  on: Executor = db,
): Promise<TokenizationRow | undefined> {
  if (!isToken(token)) return findById(ctx, on, token);
  const [row] = await on
    .select()
    .from(tokenizations)
    .where(owned(ctx, tokenizations, eq(tokenizations.tokenDigest, digest(token))));
  return row;
}

const idOf = ({ id }: { id: string }) => id;

const findById = setwise<Ctx, string, TokenizationRow | undefined>(async (ctx, on, ids) => {
  const rows = await on
    .select()
    .from(tokenizations)
    .where(owned(ctx, tokenizations, inArray(tokenizations.id, [...ids])));
  return inOrder(ids, rows, String, idOf);
});

/** The record under its row lock. */
export const lockTokenization = setwise<Ctx, string, TokenizationRow | undefined>(
  async (ctx, tx, ids) => {
    const rows = await tx
      .select()
      .from(tokenizations)
      .where(owned(ctx, tokenizations, inArray(tokenizations.id, [...ids])))
      .orderBy(asc(tokenizations.id))
      .for("no key update");
    return inOrder(ids, rows, String, idOf);
  },
);

const changeTokenizations = setwise<
  Ctx,
  RowChange & { where: { id: string } },
  TokenizationRow | undefined
>(async (ctx, tx, changes) => {
  const rows = await changeRows(tx, tokenizations, owned(ctx, tokenizations), changes);
  return inOrder(changes, rows, ({ where }) => where.id, idOf);
});

/** Changes a locked record; `visible` changes are those that the API shows, and only they move `updated_at`. */
export async function changeTokenization(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<TokenizationRow>,
  visible: boolean,
): Promise<TokenizationRow> {
  const set = { ...change, ...(visible ? { updatedAt: nowSql } : {}) };
  const row = await changeTokenizations(ctx, tx, { where: { id }, set });
  if (!row) throw new Error("a locked tokenization is gone");
  return row;
}

/** Forgets the gateway's name for a saved method that the gateway has forgotten. */
export async function forgetMethod(ctx: Ctx, id: string): Promise<void> {
  await db
    .update(tokenizations)
    .set({ methodId: null })
    .where(owned(ctx, tokenizations, eq(tokenizations.id, id)));
}

/**
 * The payer's active token at a gateway that takes `money`, the one activated last when there are several; `email` without case. An activation that is under way is waited for, and a
 * later one waits for this transaction: its event then finds what is written here.
 */
export async function activeTokenOf(
  ctx: Ctx,
  tx: Tx,
  email: string,
  money: Money,
): Promise<string | null> {
  const of = (status: TokenizationRow["status"]) =>
    owned(
      ctx,
      tokenizations,
      eq(tokenizations.status, status),
      sameText(tokenizations.email)(email),
    );
  await tx
    .select({ id: tokenizations.id })
    .from(tokenizations)
    .where(of("pending"))
    .orderBy(asc(tokenizations.id))
    .for("share");
  const [row] = await tx
    .select({ id: tokenizations.id })
    .from(tokenizations)
    .where(and(of("active"), notInArray(tokenizations.gateway, gatewaysRefusing(money))))
    .orderBy(desc(tokenizations.activatedAt), desc(tokenizations.id))
    .limit(1);
  return row?.id ?? null;
}

const filters: Filters<TokenizationQuery> = {
  status: is(tokenizations.status),
  email: sameText(tokenizations.email),
  ...createdFilters(tokenizations.createdAt),
  q: search({ texts: [tokenizations.title, tokenizations.email], ids: [tokenizations.id] }),
};

const conditions = (ctx: Ctx, query: TokenizationQuery) =>
  owned(ctx, tokenizations, ...filtered(filters, query));

export async function listTokenizations(
  ctx: Ctx,
  query: TokenizationQuery,
  walk: Walk,
): Promise<TokenizationRow[]> {
  const { where, orderBy, limit, offset } = keyset(tokenizations, walk);
  return db
    .select()
    .from(tokenizations)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

/** The addresses of payers who gave a phone number that ends in these digits, in the newest tokens. */
export const holdersOfPhone = (
  ctx: Ctx,
  digits: string,
  { rows, limit }: { rows: number; limit: number },
): Promise<string[]> =>
  emailsOfPhone(tokenizations, {
    from: newestRows(tokenizations, owned(ctx, tokenizations), rows),
    digits,
    limit,
  });

export async function countTokenizations(ctx: Ctx, query: TokenizationQuery): Promise<number> {
  return db.$count(tokenizations, conditions(ctx, query));
}

/** For the payer's door: anyone who knows the token may see its page. */
export async function unscopedFindByToken(token: string): Promise<TokenizationRow | undefined> {
  if (!isToken(token)) return undefined;
  const [row] = await db
    .select(getTableColumns(tokenizations))
    .from(directory)
    .innerJoin(tokenizations, entryOf("tokenization", tokenizations, tokenizations.tokenDigest))
    .where(eq(directory.key, digest(token)));
  return row;
}

/** For the way back from the gateway and the thank-you page: a record by its id alone. */
export async function unscopedFindById(id: string): Promise<TokenizationRow | undefined> {
  const [row] = await db
    .select(getTableColumns(tokenizations))
    .from(directory)
    .innerJoin(tokenizations, entryOf("tokenization", tokenizations, tokenizations.id))
    .where(eq(directory.key, id));
  return row;
}

/** Pending records that have passed their expiry and have no payer at the gateway. */
export const expiringTokenizations: Due<typeof tokenizations> = {
  table: tokenizations,
  fairBy: [tokenizations.businessId],
  moment: tokenizations.expiresAt,
  where: sql`${tokenizations.status} = 'pending' and ${tokenizations.attemptAt} is null`,
};

/** Activation attempts that are open at the gateway. */
export const openActivations: Due<typeof tokenizations> = {
  table: tokenizations,
  fairBy: [tokenizations.businessId, tokenizations.connectionId],
  moment: tokenizations.nextCheckAt,
  where: sql`${tokenizations.nextCheckAt} is not null`,
};
