import { withTransaction } from "@/db/client";
import { businessesOf } from "@/db/directory";
import { databaseNow } from "@/db/now";
import { claimPaymentSearch, endPaymentSearch } from "@/db/settings";
import {
  unscopedCloseQuarantined,
  unscopedReopenUnmatched,
  unscopedStoreCallback,
} from "@/lib/domain/callbacks/rows";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { type GatewayAccount, openAccount } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { type ConnectionRow, unscopedConnections } from "@/lib/domain/gateway-connections/rows";
import { lockLink } from "@/lib/domain/payment-links/rows";
import { insertFound, unscopedFindPayment } from "@/lib/domain/payments/rows";
import { settleIn } from "@/lib/domain/payments/settle";
import { lockPeriod, lockTerms } from "@/lib/domain/subscriptions/period-rows";
import { dayOfAttempt, titleOf } from "@/lib/domain/subscriptions/plan";
import { findSubscriptionEver } from "@/lib/domain/subscriptions/rows";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { lockTokenization } from "@/lib/domain/tokenizations/rows";
import type { FindAnswer, ListAnswer, ListedPayment, ListedReturn } from "@/lib/gateways/gateway";
import { isId } from "@/lib/kernel/ids";
import { log } from "@/lib/kernel/log";
import { displayAmount } from "@/lib/kernel/money";
import { reconcileAfterCallback } from "../charge/reconcile";
import { decideFound, decideListed } from "./decide";

// After a restore: payments and refunds made since the backup are known to the gateways alone. They are listed there and written down.

const REPEAT_SECONDS = 300;
const SIDE_BY_SIDE = 4;
/** A page opened before the restore takes money for an hour at most. */
const PAGES_END_MS = 2 * 3_600_000;
/** The clocks of a gateway and of this server differ. */
const MARGIN_MS = 3_600_000;

type Success = Extract<FindAnswer, { kind: "succeeded" }>;

/**
 * Searches every gateway connection for payments made since the backup, when that is due; once that is done, those that are connected later. Returns
 * how many connections it searched.
 */
export async function searchPayments(requestId: string): Promise<number> {
  const search = await claimPaymentSearch(REPEAT_SECONDS);
  if (!search) return 0;
  const since = new Date(Math.max(0, Date.parse(search.since) - MARGIN_MS)).toISOString();
  const connections = await unscopedConnections();
  let complete = (await databaseNow()) > Date.parse(search.restored_at) + PAGES_END_MS;
  const sharing = Map.groupBy(connections, accountOf);
  const { done, connected = [] } = search;
  const searched = done ? connections.filter(({ id }) => connected.includes(id)) : connections;
  const left = searched.values();
  const searchNext = async () => {
    for (const row of left) {
      try {
        const searchers = sharing.get(accountOf(row)) ?? [];
        if (!(await searchConnection(row, searchers, since, requestId))) complete = false;
      } catch (error) {
        complete = false;
        log.error(
          { request_id: requestId, connection: row.id, err: error },
          "payments made since the backup could not be searched for; this will be tried again",
        );
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, searchNext));
  if (complete) await endPaymentSearch(search);
  return searched.length;
}

/** Names an account at a gateway, which several businesses may have connected. */
const accountOf = ({ gateway, mode, account }: ConnectionRow) =>
  JSON.stringify([gateway, mode, account]);

/** False when something there has no outcome yet. `searchers`: all connections to the same account that are searched. */
async function searchConnection(
  row: ConnectionRow,
  searchers: readonly ConnectionRow[],
  since: string,
  requestId: string,
): Promise<boolean> {
  const ctx = systemCtx(row, { kind: "gateway", id: row.id }, requestId);
  const account = openAccount(row);
  const { listSince } = account.gateway;
  if (!listSince) {
    log.warn(
      { request_id: requestId, connection: row.id, gateway: row.gateway },
      "this gateway has no list: compare the payments made since the backup with its own portal",
    );
    return true;
  }
  let complete = true;
  let cursor: string | null = null;
  do {
    const after: string | null = cursor;
    const page: ListAnswer = await callGateway<ListAnswer>(
      "listing payments since the backup",
      () => listSince(account.connection, since, after),
    );
    if (page.kind === "unknown") throw new Error(page.reason);
    for (const listed of page.payments)
      if (!(await record(ctx, account, searchers, listed))) complete = false;
    for (const listed of page.returns) await noteReturn(row, listed);
    cursor = page.next;
  } while (cursor !== null);
  return complete;
}

/** Stored as a callback, so that the callback's work syncs the payment's refunds and disputes, once the payment is known. */
async function noteReturn(row: ConnectionRow, { id, about, gatewayId }: ListedReturn) {
  const stored = {
    businessId: row.businessId,
    connectionId: row.id,
    eventId: eventIdOf(id),
    type: `${about}.since_backup`,
    about,
    disputeChange: null,
    reference: "",
    gatewayId,
    amount: null,
    currency: null,
    problem: null,
    state: "new" as const,
  };
  // A callback may have come before this search booked its payment.
  if (!(await unscopedStoreCallback(stored))) await unscopedReopenUnmatched(stored);
}

const eventIdOf = (id: string) => `since_backup_${id}`;

/** Writes down a payment that we do not know. False when its outcome is not known yet. */
async function record(
  ctx: Ctx,
  account: GatewayAccount,
  searchers: readonly ConnectionRow[],
  listed: ListedPayment,
): Promise<boolean> {
  const { reference, gatewayId } = listed;
  const payment = isId(reference) ? await unscopedFindPayment(reference) : undefined;
  const subscriptionId = payment ? null : idOrNull(listed.subscriptionId);
  const subscription = subscriptionId && (await findSubscriptionEver(ctx, subscriptionId));
  const underClock = !!subscription && subscription.testClockId !== null;
  const connection = { businessId: ctx.businessId, id: account.connection.id };
  const ofAnother = !payment && (await isOfAnother(ctx, searchers, listed));
  const { kind } = decideListed(listed, { connection, payment, underClock, ofAnother });
  if (kind === "reconcile" && payment) await reconcileAfterCallback(ctx, payment, gatewayId);
  // It was set aside while the other business had not connected the account again.
  if (ofAnother) await unscopedCloseQuarantined(setAsideKey(ctx, account, reference));
  if (kind !== "look_up") return true;
  const found = decideFound(
    await callGateway("looking up a payment since the backup", () =>
      account.gateway.find(account.connection, reference, {
        gatewayId: null,
        since: null,
        // Named so, a payment that was made on a page is read by its page: its payer may still have to pay.
        fromCallback: gatewayId,
      }),
    ),
  );
  if (found.kind !== "adopt") return found.kind === "over";
  const { answer } = found;
  const isBooked =
    (await settleOnLink(ctx, account, listed, answer)) ||
    (await settleOnSubscription(ctx, account, listed, answer)) ||
    (await settleOnToken(ctx, account, listed, answer));
  if (isBooked) await unscopedCloseQuarantined(setAsideKey(ctx, account, reference));
  else await setAside(ctx, account, reference, answer);
  return true;
}

/** Whether its link or token is known, of another business that searches the same account. */
async function isOfAnother(
  { businessId }: Ctx,
  searchers: readonly ConnectionRow[],
  { linkId, tokenizationId }: ListedPayment,
): Promise<boolean> {
  const named = [
    ["payment_link", linkId],
    ["tokenization", tokenizationId],
  ] as const;
  for (const [kind, key] of named) {
    const owner = key === null ? undefined : (await businessesOf(kind, [key])).get(key);
    if (owner !== businessId && searchers.some((row) => row.businessId === owner)) return true;
  }
  return false;
}

/** Settles it as any success on its link, deleted ones too; false where no such link is known. */
async function settleOnLink(
  ctx: Ctx,
  { gateway, connection }: GatewayAccount,
  { reference: id, ...listed }: ListedPayment,
  answer: Success,
): Promise<boolean> {
  const linkId = idOrNull(listed.linkId);
  if (linkId === null) return false;
  return withTransaction(async (tx) => {
    const link = await lockLink(ctx, tx, linkId, true);
    if (!link) return false;
    const made = await insertFound(await atClock(ctx, tx, link.testClockId), tx, {
      id,
      amount: link.amount,
      currency: link.currency,
      title: link.title,
      reference: link.reference,
      gateway: gateway.name,
      connectionId: connection.id,
      paymentLinkId: link.id,
      linkVersion: link.version,
      subscriptionId: link.subscriptionId,
      periodStart: link.periodStart,
      testClockId: link.testClockId,
    });
    if (made) await settleIn(ctx, tx, id, answer);
    return true;
  });
}

/**
 * Settles a charge of a subscription's period with the money that the gateway says it took; false where no such subscription is known. The period
 * follows its payment, also one that is planned only later.
 */
async function settleOnSubscription(
  ctx: Ctx,
  { gateway, connection }: GatewayAccount,
  { reference: id, title, ...listed }: ListedPayment,
  answer: Success,
): Promise<boolean> {
  const subscriptionId = idOrNull(listed.subscriptionId);
  if (subscriptionId === null) return false;
  return withTransaction(async (tx) => {
    const terms = await lockTerms(ctx, tx, subscriptionId);
    const periodStart = terms && dayOfAttempt(ctx, terms.subscription, id);
    if (!periodStart) return false;
    await lockPeriod(ctx, tx, { subscriptionId, periodStart });
    const tokenizationId = idOrNull(listed.tokenizationId);
    const token = tokenizationId && (await lockTokenization(ctx, tx, tokenizationId));
    const made = await insertFound(ctx, tx, {
      id,
      amount: answer.amount,
      currency: answer.currency,
      title: title || titleOf(terms),
      gateway: gateway.name,
      connectionId: connection.id,
      subscriptionId,
      periodStart,
      ...(token ? { tokenizationId: token.id } : {}),
    });
    if (made) await settleIn(ctx, tx, id, answer);
    return true;
  });
}

/** Settles a charge of a token with the money that the gateway says it took; false where no such token is known. */
async function settleOnToken(
  ctx: Ctx,
  { gateway, connection }: GatewayAccount,
  { reference: id, title, ownReference, ...listed }: ListedPayment,
  answer: Success,
): Promise<boolean> {
  const tokenizationId = idOrNull(listed.tokenizationId);
  if (tokenizationId === null) return false;
  return withTransaction(async (tx) => {
    const token = await lockTokenization(ctx, tx, tokenizationId);
    if (!token) return false;
    const made = await insertFound(ctx, tx, {
      id,
      amount: answer.amount,
      currency: answer.currency,
      title: title || token.title,
      reference: ownReference,
      gateway: gateway.name,
      connectionId: connection.id,
      tokenizationId,
    });
    if (made) await settleIn(ctx, tx, id, answer);
    return true;
  });
}

const setAsideKey = ({ businessId }: Ctx, { connection }: GatewayAccount, reference: string) => ({
  businessId,
  connectionId: connection.id,
  eventId: eventIdOf(reference),
});

/** Shown to staff among the callbacks that were set aside, once; counts for nothing. */
async function setAside(
  ctx: Ctx,
  account: GatewayAccount,
  reference: string,
  { gatewayId, amount, currency }: Success,
): Promise<void> {
  const problem = `${displayAmount(amount, currency)} was paid after the backup that was restored. The payment is for no payment link, subscription or token that is known here.`;
  const fresh = await unscopedStoreCallback({
    ...setAsideKey(ctx, account, reference),
    type: "payment.unknown",
    about: "payment",
    disputeChange: null,
    reference,
    gatewayId,
    amount,
    currency,
    problem,
    state: "quarantined",
  });
  if (fresh)
    log.error(
      { request_id: ctx.requestId, connection: account.connection.id, payment: reference, problem },
      "a payment since the backup was set aside",
    );
}

const idOrNull = (text: string | null) => (text !== null && isId(text) ? text : null);
