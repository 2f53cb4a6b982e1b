import type { Tx } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { payerOf } from "@/lib/domain/gateway-connections/payer";
import { findConnection } from "@/lib/domain/gateway-connections/rows";
import { writeLink } from "@/lib/domain/payment-links/create";
import { type LinkRow, setOpenPayment } from "@/lib/domain/payment-links/rows";
import { insertPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { changePeriod, type PeriodRow, type Terms } from "@/lib/domain/subscriptions/period-rows";
import {
  attemptId,
  lookAgainMinutes,
  mayBeCharged,
  minutesLater,
} from "@/lib/domain/subscriptions/plan";
import { sameAddress } from "@/lib/domain/subscriptions/rules";
import { lockTokenization, type TokenizationRow } from "@/lib/domain/tokenizations/rows";
import type { FindAnswer, Payer } from "@/lib/gateways/gateway";
import { unseal } from "@/lib/kernel/secrets";

// Both hold what a package calls itself; a link's title is shorter.
const titleOf = (terms: Terms) => [...terms.package.name].slice(0, 50).join("");

/** A charge that is written down and not sent yet. */
export type Charge = { payment: PaymentRow; methodId: string; payer: Payer };
/** A charge that may have been made after the backup that was put in place: its gateway is asked before it is written down. */
export type Ask = { id: string; connectionId: string };
export type Heard = { id: string; answer: FindAnswer };

type Chargeable = TokenizationRow & { methodId: string; connectionId: string; gateway: string };

/**
 * The remembered method, locked, while it is active and the payer's. `none`: the payer is asked. `later`: its account is not connected now, nor is
 * another that could take money, which is no decline.
 */
async function chargeable(
  ctx: Ctx,
  tx: Tx,
  { subscription, revoked }: Terms,
): Promise<Chargeable | "none" | "later"> {
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
  if (!revoked) return row as Chargeable;
  return (await findConnection(ctx.businessId, ctx.mode, tx)) ? "none" : "later";
}

/**
 * Writes down a charge of the period before it is sent, or says why there is none. A link of the period is held meanwhile. `attempts` are those of
 * the period so far, `told` what the gateway said when it was asked first.
 */
export async function beginCharge(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  period: PeriodRow,
  link: LinkRow | undefined,
  attempts: readonly PaymentRow[],
  told: Heard | undefined,
): Promise<Charge | { ask: Ask } | "none" | "later"> {
  const { subscription } = terms;
  const token = await chargeable(ctx, tx, terms);
  if (token === "none" || token === "later") return token;
  const id = attemptId(
    ctx,
    subscription,
    period.periodStart,
    attempts.filter(({ tokenizationId }) => tokenizationId !== null).length,
  );
  if (mayBeCharged(terms, period.periodStart) && told?.id !== id)
    return { ask: { id, connectionId: token.connectionId } };
  if (told?.answer.kind === "unknown") return "later";
  const held = link?.status === "Active" ? link : undefined;
  const payment = await insertPayment(ctx, tx, {
    id,
    amount: terms.package.amount,
    currency: terms.package.currency,
    title: titleOf(terms),
    gateway: token.gateway,
    connectionId: token.connectionId,
    tokenizationId: token.id,
    subscriptionId: subscription.id,
    periodStart: period.periodStart,
    testClockId: subscription.testClockId,
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
  return { payment, methodId: unseal(token.methodId, "gateway"), payer: payerOf(token) };
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
      subscriptionId: subscription.id,
      periodStart: period.periodStart,
      periodEnd: period.periodEnd,
      testClockId: subscription.testClockId,
    },
    null,
    tx,
  );
}
