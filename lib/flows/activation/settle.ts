import { inSeconds, nowSql } from "@/db/columns";
import { type Tx, withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import type { Ctx } from "@/lib/domain/context";
import { emit } from "@/lib/domain/events/emit";
import { presentForEvent } from "@/lib/domain/tokenizations/present";
import {
  changeTokenization,
  lockTokenization,
  type TokenizationRow,
} from "@/lib/domain/tokenizations/rows";
import { nextCheckSeconds } from "@/lib/domain/tokenizations/rules";
import type { BeginAnswer, FindAnswer, SavedMethod } from "@/lib/gateways/gateway";
import { seal } from "@/lib/kernel/secrets";
import { decideAbandoned, decideLate, decideOpening, decideOutcome } from "./decide";

const closed = {
  attemptAt: null,
  attemptUrl: null,
  attemptGatewayId: null,
  nextCheckAt: null,
  leasedUntil: null,
  checks: 0,
} as const;

const unanswered = ({ attemptGatewayId }: TokenizationRow) => ({ ...closed, attemptGatewayId });
const noted = ({ id }: SavedMethod) => ({ methodId: seal(id, "gateway") });

/**
 * Writes the outcome of an attempt. Only the open attempt of a pending token can change it, so a second answer changes nothing.
 * `fence`: of the claim under which the answer was got, where there was one. Returns the record as it then is.
 */
export function settleActivation(
  ctx: Ctx,
  id: string,
  attempt: number,
  answer: FindAnswer,
  fence?: number,
): Promise<TokenizationRow> {
  return withLocked(ctx, id, (tx, row, now) => {
    const outcome = decideOutcome(row, attempt, answer, { now, fence });
    switch (outcome.kind) {
      case "ignore":
        return row;
      case "activate":
        return activate(ctx, tx, row, outcome.method);
      case "close":
        return changeTokenization(ctx, tx, id, { ...closed, notice: outcome.notice }, false);
      case "stop_asking":
        return changeTokenization(ctx, tx, id, { ...unanswered(row), notice: null }, false);
      case "keep_page":
        return lookAgain(ctx, tx, row, true, {
          attemptUrl: outcome.url,
          attemptGatewayId: outcome.gatewayId,
          notice: outcome.notice,
        });
      case "look_again":
        return lookAgain(
          ctx,
          tx,
          row,
          false,
          outcome.processing ? { notice: { kind: "processing" } } : {},
        );
    }
  });
}

/** Writes the gateway's answer to the request for a hosted page. Returns the record as it then is. */
export function settlePage(
  ctx: Ctx,
  id: string,
  attempt: number,
  answer: BeginAnswer,
): Promise<TokenizationRow> {
  const opening = decideOpening(answer);
  if (opening.kind === "settle") return settleActivation(ctx, id, attempt, opening.answer);
  return withLocked(ctx, id, (tx, row) =>
    row.attempt !== attempt || row.attemptAt === null || row.status !== "pending"
      ? row
      : changeTokenization(ctx, tx, id, { notice: opening.notice }, false),
  );
}

/** Ends the attempt of a token that has ended under its payer, once its page takes no method any more. Returns the record as it then is. */
export function settleAbandoned(
  ctx: Ctx,
  id: string,
  attempt: number,
  answer: FindAnswer,
  disconnected: boolean,
): Promise<TokenizationRow> {
  return withLocked(ctx, id, (tx, row, now) => {
    const outcome = decideAbandoned(row, attempt, answer, { now, disconnected });
    switch (outcome.kind) {
      case "ignore":
        return row;
      case "close":
        return changeTokenization(ctx, tx, id, closed, false);
      case "keep_method":
        return changeTokenization(ctx, tx, id, { ...closed, ...noted(outcome.method) }, false);
      case "look_again":
        return lookAgain(ctx, tx, row, false, {});
      case "stop_asking":
        return changeTokenization(ctx, tx, id, unanswered(row), false);
    }
  });
}

/** Writes what the gateway says of an attempt that has ended. Returns the record as it then is. */
export function settleLate(ctx: Ctx, id: string, answer: FindAnswer): Promise<TokenizationRow> {
  return withLocked(ctx, id, (tx, row) => {
    const late = decideLate(row, answer);
    if (late.kind === "ignore") return row;
    return late.kind === "activate"
      ? activate(ctx, tx, row, late.method)
      : changeTokenization(ctx, tx, id, noted(late.method), false);
  });
}

/** The gateway has forgotten what an erased payer saved: an attempt that ended without its word is over. */
export const settleForgotten = (ctx: Ctx, id: string, attempt: number): Promise<TokenizationRow> =>
  withLocked(ctx, id, (tx, row) =>
    row.attempt === attempt ? changeTokenization(ctx, tx, id, closed, false) : row,
  );

function withLocked(
  ctx: Ctx,
  id: string,
  write: (tx: Tx, row: TokenizationRow, now: number) => TokenizationRow | Promise<TokenizationRow>,
): Promise<TokenizationRow> {
  return withTransaction(async (tx) => {
    const row = await lockTokenization(ctx, tx, id);
    if (!row) throw new Error("no such tokenization");
    return write(tx, row, await databaseNow(tx));
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
      ...noted(method),
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

function lookAgain(
  ctx: Ctx,
  tx: Tx,
  row: TokenizationRow,
  pageIsOpen: boolean,
  change: Pick<Partial<TokenizationRow>, "attemptUrl" | "attemptGatewayId" | "notice">,
): Promise<TokenizationRow> {
  return changeTokenization(
    ctx,
    tx,
    row.id,
    {
      ...change,
      checks: row.checks + 1,
      nextCheckAt: inSeconds(nextCheckSeconds(row.checks, pageIsOpen)),
      leasedUntil: null,
    },
    false,
  );
}
