import { db, type Executor } from "@/db/client";
import type { Money } from "@/lib/gateways/gateway";
import { gatewayFor, isRefusedByAny } from "@/lib/gateways/registry";
import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { findConnection } from "./rows";

/** Why the gateway of this business and mode cannot take an amount; null when it can. */
export async function refusalOf(ctx: Ctx, money: Money, on: Executor = db): Promise<string | null> {
  // Every gateway takes most amounts: no query for those.
  if (!isRefusedByAny(money)) return null;
  const row = await findConnection(ctx.businessId, ctx.mode, on);
  return (row && gatewayFor(row.gateway)?.validateAmount(money)) ?? null;
}

/** Throws 422 on `amount` for an amount that this gateway cannot refund. It refunds what it can charge. */
export function assertRefundable(gateway: string, money: Money): void {
  const reason = gatewayFor(gateway)?.validateAmount(money) ?? null;
  assertNone(reason === null ? {} : { amount: [reason] });
}

/** Whether a payment of this gateway has one open refund at a time. */
export const refundsOneByOne = (gateway: string): boolean =>
  gatewayFor(gateway)?.refundIsIdempotent === false;

/** The field errors of an amount that the gateway cannot take. Without amount or currency there are none. */
export async function validateAmount(
  ctx: Ctx,
  { amount, currency }: Partial<Money>,
): Promise<FieldErrors> {
  const reason =
    amount === undefined || currency === undefined
      ? null
      : await refusalOf(ctx, { amount, currency });
  return reason === null ? {} : { amount: [reason] };
}

/** Throws 422 on `amount` for an amount that the gateway cannot take. */
export const assertChargeable = async (ctx: Ctx, money: Money): Promise<void> =>
  assertNone(await validateAmount(ctx, money));
