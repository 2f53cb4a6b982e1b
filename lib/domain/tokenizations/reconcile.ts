import { databaseNow } from "@/db/now";
import type { Known } from "@/lib/gateways/gateway";
import { ask, type Line, lineOfAttempt } from "../businesses/line";
import { type Ctx, systemCtx } from "../context";
import { type FairWork, fairWork } from "../fair-work";
import { extendLook, find, type TokenizationRow, unscopedClaimDue } from "./rows";
import { isAttemptOver, parseReference, referenceOf } from "./rules";
import { settleAbandoned, settleActivation } from "./settle";

/** Asks the gateway what became of the open attempt, with no transaction open, and writes it down; `told` is the id it named. Answers the record as it then is. */
export async function lookUp(
  ctx: Ctx,
  row: TokenizationRow,
  fence?: number,
  told?: string | null,
): Promise<TokenizationRow> {
  if (row.attemptAt === null) return row;
  const line = await lineOfAttempt(ctx, row.connectionId);
  if (row.status !== "pending") {
    const answer = await cancelAt(line, row);
    return settleAbandoned(ctx, row.id, row.attempt, answer.kind !== "unknown");
  }
  const found = await findAt(line, row, told);
  if (found.kind !== "open" || !isAttemptOver(row, await databaseNow()))
    return settleActivation(ctx, row.id, row.attempt, found, fence);
  const cancelled = await cancelAt(line, row);
  if (cancelled.kind === "cancelled")
    return settleActivation(
      ctx,
      row.id,
      row.attempt,
      { kind: "cancelled", gatewayId: found.gatewayId },
      fence,
    );
  return settleActivation(
    ctx,
    row.id,
    row.attempt,
    cancelled.kind === "too_late" ? await findAt(line, row) : cancelled,
    fence,
  );
}

const nameOf = (row: TokenizationRow, told?: string | null): [string, Known] => [
  referenceOf(row.id, row.attempt),
  {
    gatewayId: row.attemptGatewayId,
    since: row.attemptAt ?? row.createdAt,
    ...(told && !row.attemptGatewayId ? { told } : {}),
  },
];
const findAt = ({ gateway, connection }: Line, row: TokenizationRow, told?: string | null) =>
  ask("looking up an activation", () => gateway.find(connection, ...nameOf(row, told)));
const cancelAt = ({ gateway, connection }: Line, row: TokenizationRow) =>
  ask("cancelling an activation", () => gateway.cancel(connection, ...nameOf(row)));

/** For a gateway's callback: looks up the attempt it speaks of. False when the reference is none of this connection's activations. */
export async function reconcileReference(
  ctx: Ctx,
  connectionId: string,
  reference: string,
  told?: string | null,
): Promise<boolean> {
  const named = parseReference(reference);
  const row = named && (await find(ctx, named.id));
  if (!row || row.connectionId !== connectionId || named.attempt > row.attempt) return false;
  if (named.attempt === row.attempt) await lookUp(ctx, row, undefined, told);
  return true;
}

/** The worker's part: looks after activations that are due. */
export const activationLooks = (): FairWork =>
  fairWork({
    piece: "tokenization",
    claim: unscopedClaimDue,
    extend: extendLook,
    work: (row, requestId) => lookUp(systemCtx(row, { kind: "clock" }, requestId), row, row.fence),
  });
