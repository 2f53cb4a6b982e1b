import type { Tx } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { payerOf } from "@/lib/domain/gateway-connections/payer";
import { findConnection } from "@/lib/domain/gateway-connections/rows";
import { writeLink } from "@/lib/domain/payment-links/create";
import { type LinkRow, setOpenPayment } from "@/lib/domain/payment-links/rows";
import { insertPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { changePeriod, type PeriodRow, type Terms } from "@/lib/domain/subscriptions/period-rows";
import { attemptId, lookAgainMinutes, minutesLater } from "@/lib/domain/subscriptions/plan";
import { sameAddress } from "@/lib/domain/subscriptions/rules";
import { lockTokenization, type TokenizationRow } from "@/lib/domain/tokenizations/rows";
import type { Payer } from "@/lib/gateways/gateway";
import { unseal } from "@/lib/kernel/secrets";

// A title is shorter than a package's name may be.
const titleOf = (terms: Terms) => [...terms.package.name].slice(0, 50).join("");

/** A charge that is written down and not sent yet. */
export type Charge = { payment: PaymentRow; methodId: string; payer: Payer };

type Method = TokenizationRow & { methodId: string; connectionId: string; gateway: string };

/**
 * The saved method, locked, while it is active and the payer's. `none`: the payer is asked. `disconnected`: its account is not connected now, nor
 * is another that could take money.
 */
export async function lockMethod(
  ctx: Ctx,
  tx: Tx,
  { subscription, revoked }: Terms,
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
  if (!revoked) return row as Method;
  return (await findConnection(ctx.businessId, ctx.mode, tx)) ? "none" : "disconnected";
}

/** The id of the next charge of a period, which has had these attempts. */
export const chargeIdOf = (
  ctx: Ctx,
  { subscription }: Terms,
  period: PeriodRow,
  attempts: readonly PaymentRow[],
): string =>
  attemptId(
    ctx,
    subscription,
    period.periodStart,
    attempts.filter(({ tokenizationId }) => tokenizationId !== null).length,
  );

/** Writes down a charge of the period before it is sent. A link of the period is held meanwhile. */
export async function insertCharge(
  ctx: Ctx,
  tx: Tx,
  { terms, period, link }: { terms: Terms; period: PeriodRow; link: LinkRow | undefined },
  id: string,
  method: Method,
): Promise<Charge> {
  const { subscription } = terms;
  const held = link?.status === "Active" ? link : undefined;
  const payment = await insertPayment(ctx, tx, {
    id,
    amount: terms.package.amount,
    currency: terms.package.currency,
    title: titleOf(terms),
    gateway: method.gateway,
    connectionId: method.connectionId,
    tokenizationId: method.id,
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
  return { payment, methodId: unseal(method.methodId, "gateway"), payer: payerOf(method) };
}

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
  );
}
