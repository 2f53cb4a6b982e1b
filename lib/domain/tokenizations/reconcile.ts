import { log } from "@/lib/kernel/log";
import { ask, type Line, lineOfAttempt } from "../businesses/line";
import { type Ctx, systemCtx } from "../context";
import { find, type TokenizationRow, unscopedClaimDue } from "./rows";
import { isAttemptOver, parseReference, referenceOf } from "./rules";
import { settleAbandoned, settleActivation } from "./settle";

/** Asks the gateway what became of the open attempt, with no transaction open, and writes it down. Answers the record as it then is. */
export async function lookUp(ctx: Ctx, row: TokenizationRow, fence?: number): Promise<TokenizationRow> {
  if (row.attemptAt === null) return row;
  const line = await lineOfAttempt(ctx, row.connectionId);
  const reference = referenceOf(row.id, row.attempt);
  if (row.status !== "pending") {
    const answer = await cancelAt(line, reference);
    return settleAbandoned(ctx, row.id, row.attempt, answer.kind !== "unknown");
  }
  const found = await findAt(line, reference);
  if (found.kind !== "open" || !isAttemptOver(row)) return settleActivation(ctx, row.id, row.attempt, found, fence);
  const cancelled = await cancelAt(line, reference);
  if (cancelled.kind === "cancelled") return settleActivation(ctx, row.id, row.attempt, { kind: "cancelled", gatewayId: found.gatewayId }, fence);
  return settleActivation(ctx, row.id, row.attempt, cancelled.kind === "too_late" ? await findAt(line, reference) : cancelled, fence);
}

const findAt = ({ gateway, connection }: Line, reference: string) => ask("looking up an activation", () => gateway.find(connection, reference));
const cancelAt = ({ gateway, connection }: Line, reference: string) => ask("cancelling an activation", () => gateway.cancel(connection, reference));

/** For a gateway's callback: looks up the attempt it speaks of. False when the reference is none of this connection's activations. */
export async function reconcileReference(ctx: Ctx, connectionId: string, reference: string): Promise<boolean> {
  const named = parseReference(reference);
  const row = named && (await find(ctx, named.id));
  if (!row || row.connectionId !== connectionId || named.attempt > row.attempt) return false;
  if (named.attempt === row.attempt) await lookUp(ctx, row);
  return true;
}

/** The worker's part: looks after attempts that are due. Answers how many it looked at. */
export async function reconcileDueActivations(limit: number, requestId: string): Promise<number> {
  const due = await unscopedClaimDue(limit);
  for (const row of due) {
    try {
      await lookUp(systemCtx(row, { kind: "clock" }, requestId), row, row.fence);
    } catch (error) {
      // The lease ends by itself; another look follows.
      log.error({ request_id: requestId, tokenization: row.id, err: error }, "an activation could not be looked after");
    }
  }
  return due.length;
}
