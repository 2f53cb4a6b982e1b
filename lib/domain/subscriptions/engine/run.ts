import { type Tx, withTransaction } from "@/db/client";
import { env } from "@/lib/env";
import type { ChargeAnswer } from "@/lib/gateways/gateway";
import { settleAtOnce } from "@/lib/gateways/simulator/clockwork";
import { log } from "@/lib/kernel/log";
import { answerSeconds, ask, leaseSeconds, lineOfAttempt } from "../../businesses/line";
import { type Ctx, systemCtx } from "../../context";
import { reconcile } from "../../payments/reconcile";
import { noteProgress } from "../../progress";
import { isWithdrawn, type PaymentRow } from "../../payments/rows";
import { isLive } from "../../payments/rules";
import { settleIn } from "../../payments/settle";
import { releaseAtGateway } from "../end";
import type { Ask, Charge, Heard } from "./begin";
import { decide, type Next } from "./decide";
import { lockPeriod, lockTerms, type PeriodRow, unscopedClaimPeriods } from "./rows";

/** What each lane of a worker claims at a time. */
const perLane = 2;

/** Begun later than this after its claim, a period could outlast its lease, since its answer may take its full time: 70 s less 40 s, less 10 s for rows. */
export const beginWithinSeconds = leaseSeconds(1) - answerSeconds - 10;

/** The worker's part: takes up periods that are due, each by one worker. Answers how many. `businessId` keeps it to one business. */
export async function chargeDue(requestId: string, businessId?: number): Promise<number> {
  const claimedAt = performance.now();
  const due = await unscopedClaimPeriods(env.WORKER_CONCURRENCY * perLane, businessId);
  await runClaimed(due, requestId, claimedAt);
  return due.length;
}

/** Runs periods claimed at that moment of this process, several at a time; what a slow gateway leaves no time for waits for its lease to end. */
export async function runClaimed(
  claimed: readonly PeriodRow[],
  requestId: string,
  claimedAt: number,
): Promise<void> {
  const until = claimedAt + beginWithinSeconds * 1_000;
  const left = claimed.values();
  const releases: Array<[Ctx, string[]]> = [];
  await Promise.all(
    Array.from({ length: env.WORKER_CONCURRENCY }, async () => {
      for (const period of left) {
        if (performance.now() > until) continue;
        const ctx = systemCtx(period, { kind: "clock" }, requestId);
        releases.push([ctx, await attempt(ctx, period)]);
      }
    }),
  );
  // Hosted pages nobody needs are closed when no lease runs any more.
  await Promise.all(releases.map(([ctx, links]) => releaseAtGateway(ctx, links)));
}

async function attempt(ctx: Ctx, period: PeriodRow): Promise<string[]> {
  try {
    const links = await chargePeriod(ctx, period);
    noteProgress("period");
    return links;
  } catch (error) {
    // The lease ends by itself; what was begun is looked up, never begun again.
    log.error(
      {
        request_id: ctx.requestId,
        subscription: period.subscriptionId,
        period: period.periodStart,
        err: error,
      },
      "a period could not be charged",
    );
    return [];
  }
}

/** Does what is due for a period under the fence it was claimed with: nothing, when somebody else has claimed it since. */
export async function runPeriod(ctx: Ctx, claimed: PeriodRow): Promise<void> {
  await releaseAtGateway(ctx, await chargePeriod(ctx, claimed));
}

/** The same but for closing hosted pages: answers the links whose page nobody needs. */
async function chargePeriod(ctx: Ctx, claimed: PeriodRow): Promise<string[]> {
  let next = await look(ctx, claimed, true);
  if (next.ask) next = await look(ctx, claimed, true, await madeBefore(ctx, next.ask));
  if (next.charge) next = await send(ctx, claimed, next.charge);
  if (claimed.testClockId !== null && next.waitsFor)
    next = await finishAtOnce(ctx, claimed, next.waitsFor);
  return next.release;
}

async function look(ctx: Ctx, claimed: PeriodRow, mayCharge: boolean, told?: Heard): Promise<Next> {
  return withTransaction(async (tx) => {
    const terms = await lockTerms(ctx, tx, claimed.subscriptionId);
    const period = terms && (await lockPeriod(ctx, tx, claimed));
    if (!period || period.fence !== claimed.fence) return { release: [] };
    const next = await decide(ctx, tx, terms, period, mayCharge, told);
    const made = next.charge && told && wasMade(told.answer);
    // Found: it is written down with its outcome, in one commit, and not sent.
    return next.charge && made ? settled(ctx, tx, claimed, next.charge.payment.id, made) : next;
  });
}

async function settled(
  ctx: Ctx,
  tx: Tx,
  claimed: PeriodRow,
  paymentId: string,
  answer: ChargeAnswer,
): Promise<Next> {
  const terms = await lockTerms(ctx, tx, claimed.subscriptionId);
  const period = terms && (await lockPeriod(ctx, tx, claimed));
  await settleIn(ctx, tx, paymentId, answer);
  return period ? decide(ctx, tx, terms, period, false) : { release: [] };
}

/** Asks the gateway, with no transaction open; its answer, the payment, the period and the subscription are one commit. */
async function send(ctx: Ctx, claimed: PeriodRow, { payment, methodId }: Charge): Promise<Next> {
  if (await isWithdrawn(ctx, payment.id)) return { release: [] };
  const { gateway, connection } = await lineOfAttempt(ctx, payment.connectionId);
  const answer = await ask("charging a subscription's period", () =>
    gateway.charge(connection, {
      key: payment.id,
      reference: payment.id,
      subscriptionId: payment.subscriptionId,
      amount: payment.amount,
      currency: payment.currency,
      title: payment.title,
      methodId,
    }),
  );
  return withTransaction((tx) => settled(ctx, tx, claimed, payment.id, answer));
}

/** What the gateway has of a charge that a restored backup may know nothing of. */
async function madeBefore(ctx: Ctx, { id, connectionId }: Ask): Promise<Heard> {
  const { gateway, connection } = await lineOfAttempt(ctx, connectionId);
  return {
    id,
    answer: await ask("looking for a charge from before a restore", () =>
      gateway.find(connection, id),
    ),
  };
}

const wasMade = (answer: Heard["answer"]): ChargeAnswer | null =>
  answer.kind === "succeeded" || answer.kind === "pending" || answer.kind === "failed"
    ? answer
    : null;

/** Under a test clock nothing waits for real time: what the simulator would tell later it tells now. */
async function finishAtOnce(ctx: Ctx, claimed: PeriodRow, payment: PaymentRow): Promise<Next> {
  if (payment.connectionId !== null) await settleAtOnce(payment.connectionId, payment.id);
  const after = await reconcile(ctx, payment);
  return isLive(after.status) ? { release: [] } : look(ctx, claimed, false);
}
