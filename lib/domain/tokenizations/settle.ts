import { type Tx, withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import type { BeginAnswer, FindAnswer, SavedMethod } from "@/lib/gateways/gateway";
import { seal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { presentForEvent } from "./present";
import {
  changeTokenization,
  checkIn,
  lockTokenization,
  nowSql,
  type TokenizationRow,
} from "./rows";
import { isAttemptOver, nextCheckSeconds } from "./rules";

const closed = {
  attemptAt: null,
  attemptUrl: null,
  attemptGatewayId: null,
  nextCheckAt: null,
  leasedUntil: null,
  checks: 0,
} as const;

/**
 * Writes down what became of an attempt; only the open attempt of a pending token can change it, so a second answer does nothing.
 * `fence`: of the claim this answer was got under, when there was one. Returns the updated record.
 */
export async function settleActivation(
  ctx: Ctx,
  id: string,
  attempt: number,
  answer: FindAnswer,
  fence?: number,
): Promise<TokenizationRow> {
  return withTransaction(async (tx) => {
    const row = await lockTokenization(ctx, tx, id);
    if (!row) throw new Error("no such tokenization");
    const stale =
      row.attempt !== attempt ||
      row.attemptAt === null ||
      (fence !== undefined && row.fence !== fence);
    if (stale || row.status !== "pending") return row;
    switch (answer.kind) {
      case "saved":
        return activate(ctx, tx, row, answer.method);
      case "failed":
        return changeTokenization(
          ctx,
          tx,
          id,
          { ...closed, notice: { kind: "declined", reason: answer.reason } },
          false,
        );
      case "cancelled":
        return changeTokenization(ctx, tx, id, { ...closed, notice: { kind: "cancelled" } }, false);
      case "open":
        return lookLater(ctx, tx, row, {
          attemptUrl: answer.url,
          attemptGatewayId: answer.gatewayId || null,
          notice: null,
        });
      case "nothing":
        return isAttemptOver(row, await databaseNow(tx))
          ? changeTokenization(ctx, tx, id, { ...closed, notice: null }, false)
          : lookLater(ctx, tx, row, {});
      default:
        return lookLater(ctx, tx, row, { notice: { kind: "processing" } });
    }
  });
}

/** Keeps the hosted page of an attempt. Without a definite answer the attempt stays open, for its key to be sent again. */
export async function settleBegun(
  ctx: Ctx,
  id: string,
  attempt: number,
  answer: BeginAnswer,
): Promise<TokenizationRow> {
  const reason = "The payment provider could not be reached.";
  if (answer.kind === "redirect")
    return settleActivation(ctx, id, attempt, { ...answer, kind: "open" });
  if (answer.kind === "refused")
    return settleActivation(ctx, id, attempt, {
      kind: "failed",
      gatewayId: "",
      decline: "soft",
      reason,
    });
  return withTransaction(async (tx) => {
    const row = await lockTokenization(ctx, tx, id);
    if (!row) throw new Error("no such tokenization");
    if (row.attempt !== attempt || row.attemptAt === null || row.status !== "pending") return row;
    return changeTokenization(ctx, tx, id, { notice: { kind: "declined", reason } }, false);
  });
}

async function activate(
  ctx: Ctx,
  tx: Tx,
  row: TokenizationRow,
  method: SavedMethod,
): Promise<TokenizationRow> {
  const active = await changeTokenization(
    ctx,
    tx,
    row.id,
    {
      ...closed,
      status: "active",
      activatedAt: nowSql,
      methodId: seal(method.id, "gateway"),
      ...method.card,
      notice: null,
    },
    true,
  );
  await emit(ctx, tx, {
    type: "tokenization.activated",
    objectId: row.id,
    data: presentForEvent(active),
  });
  return active;
}

function lookLater(
  ctx: Ctx,
  tx: Tx,
  row: TokenizationRow,
  change: Pick<Partial<TokenizationRow>, "attemptUrl" | "attemptGatewayId" | "notice">,
): Promise<TokenizationRow> {
  const open = change.attemptUrl !== undefined;
  return changeTokenization(
    ctx,
    tx,
    row.id,
    {
      ...change,
      checks: row.checks + 1,
      nextCheckAt: checkIn(nextCheckSeconds(row.checks, open)),
      leasedUntil: null,
    },
    false,
  );
}

/** After a token was revoked under its payer: the attempt is over once the gateway has closed its page, or cannot any more. */
export async function settleAbandoned(
  ctx: Ctx,
  id: string,
  attempt: number,
  over: boolean,
): Promise<TokenizationRow> {
  return withTransaction(async (tx) => {
    const row = await lockTokenization(ctx, tx, id);
    if (!row) throw new Error("no such tokenization");
    if (row.status === "pending" || row.attempt !== attempt || row.attemptAt === null) return row;
    if (over || isAttemptOver(row, await databaseNow(tx)))
      return changeTokenization(ctx, tx, id, closed, false);
    return lookLater(ctx, tx, row, {});
  });
}
