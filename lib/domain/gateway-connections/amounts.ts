import { db, type Executor } from "@/db/client";
import type { Money, WriteAmount } from "@/lib/gateways/gateway";
import { chargeRefusal } from "@/lib/gateways/minimums";
import { gatewayFor, gatewaysRefusing } from "@/lib/gateways/registry";
import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { activeConnections, type ConnectionRow } from "./rows";

type Connections = () => Promise<ConnectionRow[]>;

/** The connections that take new payments of this business and mode. They are read with the first amount that needs them. */
export function connectionsOf(ctx: Ctx, on: Executor = db): Connections {
  let read: ReturnType<Connections> | undefined;
  return () => (read ??= activeConnections(ctx.businessId, ctx.mode, on));
}

/** Why this gateway cannot charge an amount, as a sentence; null when it can. */
export function refusalBy(name: string, money: Money, write?: WriteAmount): string | null {
  const gateway = gatewayFor(name);
  return gateway ? chargeRefusal(gateway, money, write) : null;
}

/** Why none of these gateways can charge an amount, in the words of the first; null when one can. */
export async function refusalOf(
  connections: Connections,
  money: Money,
  write?: WriteAmount,
): Promise<string | null> {
  // No query for what each gateway there is can charge. Some take ringgit alone.
  if (gatewaysRefusing(money).length === 0) return null;
  const reasons = (await connections()).map(({ gateway }) => refusalBy(gateway, money, write));
  return reasons.includes(null) ? null : (reasons[0] ?? null);
}

/** Throws 422 on `amount` for an amount that this gateway cannot charge. */
export function assertChargeableBy(name: string, money: Money): void {
  const reason = refusalBy(name, money);
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
  {
    write,
    connections = connectionsOf(ctx),
  }: { write?: WriteAmount; connections?: Connections } = {},
): Promise<FieldErrors> {
  const reason =
    amount === undefined || currency === undefined
      ? null
      : await refusalOf(connections, { amount, currency }, write);
  return reason === null ? {} : { amount: [reason] };
}

/** Throws 422 on `amount` for an amount that the gateway cannot take. */
export const assertChargeable = async (ctx: Ctx, money: Money): Promise<void> =>
  assertNone(await validateAmount(ctx, money));
