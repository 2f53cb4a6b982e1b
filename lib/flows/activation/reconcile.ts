import { databaseNow } from "@/db/now";
import type { Ctx } from "@/lib/domain/context";
import {
  type GatewayAccount,
  isRevoked,
  resolveGatewayOf,
} from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { take } from "@/lib/domain/limits/limits";
import { find, type TokenizationRow } from "@/lib/domain/tokenizations/rows";
import { parseReference, referenceOf } from "@/lib/domain/tokenizations/rules";
import type { FindAnswer, Hint, SavedMethod, Unknown } from "@/lib/gateways/gateway";
import { log } from "@/lib/kernel/log";
import { awaitsWord, decideLookUp, isErased, neverHadMethod } from "./decide";
import { settleAbandoned, settleActivation, settleForgotten, settleLate } from "./settle";

/**
 * Asks the gateway what became of the open attempt, with no transaction open, and writes it down; `hint`: the id that a callback named. Of a token that
 * has ended it also asks about one that ended without the gateway's word. Returns the updated record.
 */
export async function lookUp(
  ctx: Ctx,
  row: TokenizationRow,
  fence?: number,
  hint?: string | null,
): Promise<TokenizationRow> {
  if (row.status === "pending" ? row.attemptAt === null : !awaitsWord(row)) return row;
  const account = await resolveGatewayOf(ctx, row.connectionId);
  if (row.status !== "pending") {
    const answer = await cancelled(account, row);
    // A page that never was cannot be cancelled either.
    const found = answer.kind === "unknown" ? await findAt(account, row) : answer;
    const after = await settleAbandoned(ctx, row.id, row.attempt, found, isRevoked(account));
    if (found.kind === "saved" && isErased(after))
      await forget(ctx, account, row, row.attempt, found.method);
    return after;
  }
  const found = await findAt(account, row, hint);
  const { kind } = decideLookUp(row, found, await databaseNow());
  const answer = kind === "settle" ? found : await cancelled(account, row);
  return settleActivation(ctx, row.id, row.attempt, answer, fence);
}

/** The same for a payer, who can ask again and again, in one attempt after the other: above a few times in five minutes the record stays as it is. */
export async function lookUpForPayer(ctx: Ctx, row: TokenizationRow): Promise<TokenizationRow> {
  if (row.attemptAt === null) return row;
  const { allowed } = await take("payer_look_up", row.id);
  return allowed ? lookUp(ctx, row) : row;
}

/** The same for a payer who comes back to an attempt that has ended here: it may have saved a method all the same. */
export async function lookUpEndedForPayer(
  ctx: Ctx,
  row: TokenizationRow,
  attempt: number,
): Promise<TokenizationRow> {
  if (!neverHadMethod(row)) return row;
  const { allowed } = await take("payer_look_up", row.id);
  if (!allowed) return row;
  const after = await lookUpLate(ctx, row, attempt);
  return "reason" in after ? row : after;
}

/** Cancels an attempt at the gateway. Returns its outcome where that is too late. */
async function cancelled(account: GatewayAccount, row: TokenizationRow): Promise<FindAnswer> {
  const answer = await cancelAt(account, row);
  if (answer.kind === "too_late") return findAt(account, row);
  return answer.kind === "cancelled"
    ? { kind: "cancelled", gatewayId: row.attemptGatewayId ?? "" }
    : answer;
}

const nameOf = (row: TokenizationRow, hint?: string | null): [string, Hint] => [
  referenceOf(row.id, row.attempt),
  {
    gatewayId: row.attemptGatewayId,
    since: row.attemptAt ?? row.createdAt,
    ...(hint && !row.attemptGatewayId ? { fromCallback: hint } : {}),
  },
];
const findAt = (
  { gateway, connection }: GatewayAccount,
  row: TokenizationRow,
  hint?: string | null,
) => callGateway("looking up an activation", () => gateway.find(connection, ...nameOf(row, hint)));
const cancelAt = ({ gateway, connection }: GatewayAccount, row: TokenizationRow) =>
  callGateway("cancelling an activation", () => gateway.cancel(connection, ...nameOf(row)));

/** For a gateway's callback: looks up the attempt it speaks of. False when the reference is none of this connection's activations. */
export async function reconcileReference(
  ctx: Ctx,
  connectionId: string,
  reference: string,
  hint?: string | null,
): Promise<boolean> {
  const named = parseReference(reference);
  const row = named && (await find(ctx, named.id));
  if (!row || row.connectionId !== connectionId || named.attempt > row.attempt) return false;
  if (named.attempt === row.attempt && row.attemptAt !== null)
    await lookUp(ctx, row, undefined, hint);
  else if (neverHadMethod(row) || isErased(row)) {
    const after = await lookUpLate(ctx, row, named.attempt, hint);
    // What was forgotten can no longer be looked up at every gateway.
    const isKnown = isErased(row) && !awaitsWord(row);
    if ("reason" in after && !isKnown) throw new Error(after.reason);
  }
  return true;
}

/** Asks about an attempt that has ended here. Its start is no longer known. Returns the updated record, or that the gateway gave no definite answer. */
async function lookUpLate(
  ctx: Ctx,
  row: TokenizationRow,
  attempt: number,
  hint?: string | null,
): Promise<TokenizationRow | Unknown> {
  const account = await resolveGatewayOf(ctx, row.connectionId);
  const { gateway, connection } = account;
  const found = await callGateway("looking up an activation that has ended", () =>
    gateway.find(connection, referenceOf(row.id, attempt), {
      gatewayId: hint ?? null,
      since: null,
    }),
  );
  if (found.kind === "unknown") return found;
  const after = await settleLate(ctx, row.id, found);
  if (found.kind === "saved" && isErased(after))
    return forget(ctx, account, after, attempt, found.method);
  // The payer needs the page of a newer attempt no longer.
  if (after.status === "active" && row.attemptAt !== null) await cancelAt(account, row);
  return after;
}

/** Has the gateway forget what an erased payer saved all the same. Returns the record, or that the gateway gave no definite answer. */
async function forget(
  ctx: Ctx,
  { gateway, connection }: GatewayAccount,
  row: TokenizationRow,
  attempt: number,
  method: SavedMethod,
): Promise<TokenizationRow | Unknown> {
  const answer = await callGateway("forgetting the customer of an erased payer", () =>
    gateway.forgetCustomer(connection, method.id),
  );
  if (answer.kind === "forgotten") return settleForgotten(ctx, row.id, attempt);
  log.warn(
    { request_id: ctx.requestId, tokenization: row.id, reason: answer.reason },
    "the gateway did not forget the customer of an erased payer",
  );
  return answer.kind === "unknown" ? answer : row;
}
