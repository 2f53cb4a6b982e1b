import { db, type Executor } from "@/db/client";
import type { Money, WriteAmount } from "@/lib/gateways/gateway";
import { chargeRefusal } from "@/lib/gateways/minimums";
import { gatewayFor, isRefusedByAny } from "@/lib/gateways/registry";
import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { activeConnections } from "./rows";

/** Why no gateway of this business and mode can charge an amount, in the words of the first; null when one can. */
export async function refusalOf(
  ctx: Ctx,
  money: Money,
  on: Executor = db,
  write?: WriteAmount,
): Promise<string | null> {
  // Every gateway takes most amounts: no query for those.
  if (!isRefusedByAny(money)) return null;
  const rows = await activeConnections(ctx.businessId, ctx.mode, on);
  const reasons = rows.map(({ gateway: name }) => {
    const gateway = gatewayFor(name);
    return gateway ? chargeRefusal(gateway, money, write) : null;
  });
  return reasons.includes(null) ? null : (reasons[0] ?? null);
}

/** Throws 422 on `amount` for an amount that this gateway cannot charge. */
export function assertChargeableBy(name: string, money: Money): void {
  const gateway = gatewayFor(name);
  const reason = gateway ? chargeRefusal(gateway, money) : null;
  assertNone(reason === null ? {} : { amount: [reason] });
}

/** The field errors of an amount that this gateway cannot refund. A minimum holds for charges alone. */
export function refundErrors(gateway: string, money: Money): FieldErrors {
  const reason = gatewayFor(gateway)?.validateAmount(money) ?? null;
  return reason === null ? {} : { amount: [reason] };
}

/** Whether a payment of this gateway has one open refund at a time. */
export const refundsOneByOne = (gateway: string): boolean =>
  gatewayFor(gateway)?.refundIsIdempotent === false;

/** The field errors of an amount that the gateway cannot take. Without amount or currency there are none. */
export async function validateAmount(
  ctx: Ctx,
  { amount, currency }: Partial<Money>,
  write?: WriteAmount,
): Promise<FieldErrors> {
  const reason =
    amount === undefined || currency === undefined
      ? null
      : await refusalOf(ctx, { amount, currency }, db, write);
  return reason === null ? {} : { amount: [reason] };
}

/** Throws 422 on `amount` for an amount that the gateway cannot take. */
export const assertChargeable = async (ctx: Ctx, money: Money): Promise<void> =>
  assertNone(await validateAmount(ctx, money));
