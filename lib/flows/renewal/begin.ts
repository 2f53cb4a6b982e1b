import type { Tx } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { refusalBy } from "@/lib/domain/gateway-connections/amounts";
import { payerOf } from "@/lib/domain/gateway-connections/payer";
import { findConnection } from "@/lib/domain/gateway-connections/rows";
import { writeLink } from "@/lib/domain/payment-links/create";
import { type LinkRow, setOpenPayment } from "@/lib/domain/payment-links/rows";
import { insertPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { changePeriod, type PeriodRow, type Terms } from "@/lib/domain/subscriptions/period-rows";
import {
  attemptId,
  lookAgainMinutes,
  minutesLater,
  periodLinkId,
  titleOf,
} from "@/lib/domain/subscriptions/plan";
import { sameAddress } from "@/lib/domain/subscriptions/rules";
import { lockTokenization, type TokenizationRow } from "@/lib/domain/tokenizations/rows";
import type { Payer } from "@/lib/gateways/gateway";
import { unseal } from "@/lib/kernel/secrets";

/** A charge that is written down and not sent yet. */
export type Charge = { payment: PaymentRow; methodId: string; payer: Payer };

type Method = TokenizationRow & { methodId: string; connectionId: string; gateway: string };

/**
 * The saved method, locked, while it is active, the payer's, and of a gateway that takes the amount. `none`: the payer is asked. `disconnected`: its
 * account is not connected now, nor is another that could take money.
 */
export async function lockMethod(
  ctx: Ctx,
  tx: Tx,
  { subscription, package: pack, revoked }: Terms,
): Promise<Method | "none" | "disconnected"> {
  const row =
    subscription.tokenizationId === null
      ? undefined
      : await lockTokenization(ctx, tx, subscription.tokenizationId);
  if (
    row?.status !== "active" ||
    !row.methodId ||
    !row.connectionId ||
    !row.gateway ||
    !sameAddress(row.email, subscription.email)
  )
    return "none";
  if (!revoked) return refusalBy(row.gateway, pack) === null ? (row as Method) : "none";
  return (await findConnection(ctx.businessId, ctx.mode, tx)) ? "none" : "disconnected";
}

/** The id of the next charge of a period, which has had these attempts. */
export function chargeIdOf(
  ctx: Ctx,
  { subscription }: Terms,
  { periodStart }: PeriodRow,
  attempts: readonly PaymentRow[],
): string {
  const taken = new Set(attempts.map(({ id }) => id));
  for (let before = 0; ; before++) {
    const id = attemptId(ctx, subscription, periodStart, before);
    if (!taken.has(id)) return id;
  }
}

/** What an attempt at a period is charged through: the saved method's own record and account. */
type Through = Pick<Method, "id" | "connectionId" | "gateway">;

/** Writes down an attempt at the period. A link of the period is held meanwhile. */
export async function insertAttempt(
  ctx: Ctx,
  tx: Tx,
  { terms, period, link }: { terms: Terms; period: PeriodRow; link: LinkRow | undefined },
  id: string,
  through: Through,
): Promise<PaymentRow> {
  const { subscription } = terms;
  const held = link?.status === "Active" ? link : undefined;
  const payment = await insertPayment(ctx, tx, {
    id,
    amount: terms.package.amount,
    currency: terms.package.currency,
    title: titleOf(terms),
    gateway: through.gateway,
    connectionId: through.connectionId,
    tokenizationId: through.id,
    subscriptionId: subscription.id,
    periodStart: period.periodStart,
    testClockId: subscription.testClockId,
    leasedBy: period.leasedBy,
    ...(held ? { paymentLinkId: held.id, linkVersion: held.version } : {}),
  });
  if (held) await setOpenPayment(ctx, tx, held.id, payment.id);
  // The lease stays: this run is not over.
  await changePeriod(ctx, tx, period, {
    state: "charging",
    paymentId: payment.id,
    retryAt: null,
    nextAttemptAt: minutesLater(terms.now, lookAgainMinutes),
    leasedUntil: period.leasedUntil,
  });
  return payment;
}

/** What the gateway needs to charge the saved method for an attempt. */
export const chargeOf = (payment: PaymentRow, method: Method): Charge => ({
  payment,
  methodId: unseal(method.methodId, "gateway"),
  payer: payerOf(method),
});

/** Makes the payment link of a period; its mail goes with the subscription's own event. */
export async function issueLink(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  period: PeriodRow,
): Promise<LinkRow> {
  const { subscription, package: pack } = terms;
  return writeLink(
    ctx,
    {
      email: subscription.email,
      currency: pack.currency,
      amount: pack.amount,
      title: titleOf(terms),
      phoneNo: subscription.phoneNo,
      description: pack.description,
      redirectUrl: null,
      reference: null,
      reference2: null,
      sendEmail: false,
      expiresAt: null,
      dueAt: null,
      reminders: null,
      subscriptionId: subscription.id,
      periodStart: period.periodStart,
      periodEnd: period.periodEnd,
      testClockId: subscription.testClockId,
    },
    null,
    tx,
    periodLinkId(ctx, subscription, period.periodStart),
  );
}
