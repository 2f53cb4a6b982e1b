import { inSeconds, nowSql } from "@/db/columns";
import { withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { findSavingGateway, resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { payerOf } from "@/lib/domain/gateway-connections/payer";
import { take } from "@/lib/domain/limits/limits";
import {
  changeTokenization,
  lockTokenization,
  type TokenizationRow,
  unscopedFindByToken,
} from "@/lib/domain/tokenizations/rows";
import {
  attemptEndsAt,
  isAttemptOver,
  referenceOf,
  returnProof,
} from "@/lib/domain/tokenizations/rules";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { decideStart } from "./decide";
import { lookUpForPayer } from "./reconcile";
import { settlePage } from "./settle";

/** `redirect`: to the gateway's hosted page. `show`: the activation page says what there is to say. `unknown`: no such token. */
export type BeginResult =
  | { kind: "redirect"; url: string }
  | { kind: "show" }
  | { kind: "unknown" };

/** A payer presses save. Pressing again returns to the same hosted page while that is open; there is one open attempt a token. */
export async function begin(token: string, requestId: string): Promise<BeginResult> {
  const known = await unscopedFindByToken(token);
  if (!known) return { kind: "unknown" };
  const ctx = systemCtx(known, { kind: "payer" }, requestId);
  // The payer may have finished at the gateway and lost the way back.
  const row = await lookUpForPayer(ctx, known);
  if (row.attemptUrl && row.status === "pending" && !isAttemptOver(row, await databaseNow()))
    return { kind: "redirect", url: row.attemptUrl };
  const attempt = await startAttempt(ctx, row.id);
  if (!attempt) return { kind: "show" };
  // Another press has opened its page meanwhile.
  return attempt.attemptUrl ? { kind: "redirect", url: attempt.attemptUrl } : open(ctx, attempt);
}

/** Transaction 1: the open attempt, or a new one with the next number; undefined when nothing may be saved. */
async function startAttempt(ctx: Ctx, id: string): Promise<TokenizationRow | undefined> {
  const account = await findSavingGateway(ctx);
  if (!account) return undefined;
  return withTransaction(async (tx) => {
    const row = await lockTokenization(ctx, tx, id);
    const start = decideStart(row, await databaseNow(tx));
    if (!row || start.kind === "show") return undefined;
    if (start.kind === "resume") return row;
    return changeTokenization(
      ctx,
      tx,
      id,
      {
        attempt: row.attempt + 1,
        attemptAt: nowSql,
        attemptUrl: null,
        attemptGatewayId: null,
        gateway: account.gateway.name,
        connectionId: account.connection.id,
        notice: null,
        checks: 0,
        nextCheckAt: inSeconds(30),
        leasedUntil: null,
      },
      false,
    );
  });
}

/** The gateway is asked for its page under the attempt's own key, and transaction 2 keeps the address. */
async function open(ctx: Ctx, row: TokenizationRow): Promise<BeginResult> {
  const { gateway, connection } = await resolveGatewayOf(ctx, row.connectionId);
  const reference = referenceOf(row.id, row.attempt);
  const back = `${env.BASE_URL}/activate/return?${new URLSearchParams({ id: row.id, attempt: String(row.attempt), proof: returnProof(row.id, row.attempt) })}`;
  const answer = await callGateway("opening a page to save a method", () =>
    gateway.saveMethod(connection, {
      key: reference,
      reference,
      payer: payerOf(row),
      title: row.title,
      returnUrl: back,
      cancelUrl: back,
      expiresAt: attemptEndsAt(row),
    }),
  );
  if (answer.kind !== "redirect") {
    log.warn(
      { request_id: ctx.requestId, tokenization: row.id, reason: answer.reason },
      "the gateway did not open a page to save a method",
    );
  }
  const after = await settlePage(ctx, row.id, row.attempt, answer);
  if (answer.kind === "redirect" && after.attemptGatewayId !== answer.gatewayId)
    await closeUnseen(ctx, row, answer.gatewayId);
  return after.attemptUrl && after.status === "pending"
    ? { kind: "redirect", url: after.attemptUrl }
    : { kind: "show" };
}

/** Closes a page that another press was faster than, or that opened after its attempt had ended. No payer has its address, so a page that stays open saves nothing. */
async function closeUnseen(ctx: Ctx, row: TokenizationRow, gatewayId: string): Promise<void> {
  const { allowed } = await take("payer_look_up", row.id);
  if (!allowed) return;
  const { gateway, connection } = await resolveGatewayOf(ctx, row.connectionId);
  const hint = { gatewayId, since: row.attemptAt ?? row.createdAt };
  await callGateway("closing a page that no payer saw", () =>
    gateway.cancel(connection, referenceOf(row.id, row.attempt), hint),
  );
}
