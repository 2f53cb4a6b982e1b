import { assertNoTransaction, db, type Executor } from "@/db/client";
import type { Connection, Gateway, Money } from "@/lib/gateways/gateway";
import { gatewayFor, refusedBySome } from "@/lib/gateways/registry";
import { revokedGateway } from "@/lib/gateways/revoked";
import { assertNone, type FieldErrors, Problem } from "@/lib/kernel/problem";
import { unseal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { type ConnectionRow, connectionById, findConnection } from "./rows";

/** A gateway and the account to use there. */
export type Line = { gateway: Gateway; connection: Connection };

/** The line new attempts of this business and mode take. Throws 409 when no gateway is connected. */
export async function lineFor(ctx: Ctx): Promise<Line> {
  const row = await findConnection(ctx.businessId, ctx.mode);
  if (!row)
    throw new Problem(
      409,
      "gateway_not_connected",
      "Connect a payment gateway for this mode first.",
    );
  return lineOf(row);
}

/** The line an attempt was made on. */
export async function lineOfAttempt(ctx: Ctx, connectionId: string | null): Promise<Line> {
  const row =
    connectionId === null ? undefined : await connectionById(ctx.businessId, connectionId);
  if (!row) throw new Error("the attempt's gateway connection is gone");
  return lineOf(row);
}

/** Opens a connection row: its secrets are decrypted, its adapter found. One that was revoked answers nothing any more. */
export function lineOf(row: ConnectionRow): Line {
  const gateway = gatewayFor(row.gateway);
  if (!gateway) throw new Error(`no adapter for the gateway ${row.gateway}`);
  const named = { id: row.id, businessId: row.businessId, mode: row.mode, account: row.account };
  if (row.secret === null)
    return { gateway: revokedGateway(row.gateway), connection: { ...named, secret: "" } };
  const callbackSecret = row.callbackSecret === null ? null : unseal(row.callbackSecret, "gateway");
  return {
    gateway,
    connection: { ...named, secret: unseal(row.secret, "gateway"), callbackSecret },
  };
}

/** Why the gateway of this business and mode cannot take an amount; null when it can. Most are taken by all, without a look. */
export async function refusalOf(ctx: Ctx, money: Money, on: Executor = db): Promise<string | null> {
  if (!refusedBySome(money)) return null;
  const row = await findConnection(ctx.businessId, ctx.mode, on);
  return (row && gatewayFor(row.gateway)?.refuses(money)) ?? null;
}

/** Throws 422 on `amount` for one that the gateway of this name cannot give back: what it cannot take it cannot return either. */
export function assertReturned(gateway: string, money: Money): void {
  const reason = gatewayFor(gateway)?.refuses(money) ?? null;
  assertNone(reason === null ? {} : { amount: [reason] });
}

/** What speaks against an amount at the gateway, as far as amount and currency are named. */
export async function amountObjections(
  ctx: Ctx,
  { amount, currency }: Partial<Money>,
): Promise<FieldErrors> {
  const reason =
    amount === undefined || currency === undefined
      ? null
      : await refusalOf(ctx, { amount, currency });
  return reason === null ? {} : { amount: [reason] };
}

/** Throws 422 on `amount` for one that the gateway cannot take. */
export const assertTaken = async (ctx: Ctx, money: Money): Promise<void> =>
  assertNone(await amountObjections(ctx, money));

type Unknown = { kind: "unknown"; reason: string };

/** How long a gateway has for an answer, however many calls it takes. One call to Stripe has 30 of them. */
export const answerSeconds = 40;

/** How long a claim lasts, in seconds, under which a gateway is asked so often, one answer after the other; the rest is for reading and writing rows. */
export const leaseSeconds = (answers: number): number => answers * answerSeconds + 30;

/** Asks a gateway, with no transaction open; a throw is not an answer, nor is one that takes too long, and what is no answer is unknown. */
export async function ask<T extends { kind: string }>(
  what: string,
  question: () => Promise<T>,
): Promise<T | Unknown> {
  assertNoTransaction(what);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Unknown>((resolve) => {
    timer = setTimeout(
      () => resolve({ kind: "unknown", reason: "The gateway took too long to answer." }),
      answerSeconds * 1_000,
    );
  });
  try {
    return await Promise.race([question(), late]);
  } catch (error) {
    return { kind: "unknown", reason: error instanceof Error ? error.message : "no answer" };
  } finally {
    clearTimeout(timer);
  }
}
