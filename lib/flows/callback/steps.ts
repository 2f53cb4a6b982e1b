import { together } from "@/db/batched";
import { db } from "@/db/client";
import { databaseNow } from "@/db/now";
import type { Mode } from "@/lib/contract/values";
import {
  type CallbackRow,
  reopenQuarantined,
  unscopedCloseCallback,
  unscopedStoreCallback,
} from "@/lib/domain/callbacks/rows";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { openAccount, resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import {
  unscopedFindConnection,
  unscopedNoteCallback,
} from "@/lib/domain/gateway-connections/rows";
import { findPayment, type PaymentRow, paymentByGatewayId } from "@/lib/domain/payments/rows";
import { isBeingSent } from "@/lib/domain/payments/rules";
import { find as findTokenization } from "@/lib/domain/tokenizations/rows";
import { parseReference } from "@/lib/domain/tokenizations/rules";
import { followMethod } from "../activation/follow-method";
import { reconcileReference } from "../activation/reconcile";
import type { Callback } from "@/lib/gateways/gateway";
import { log } from "@/lib/kernel/log";
import { notFound, Problem } from "@/lib/kernel/problem";
import { reconcileAfterCallback } from "../charge/reconcile";
import { type Synced, syncRefundsAndDisputes, TooEarly, Unclear } from "../dispute/steps";
import { reconcileRefundsOf } from "../refund/reconcile";
import {
  type Comparison,
  decideUnshown,
  decideReturns,
  decideStored,
  decideUnclear,
  decideUnmatched,
  isAboutReturns,
  type Outcome,
  mayHaveSetAside,
  namesOurs,
  otherMoneyIn,
  retryOf,
  strangerIn,
} from "./decide";

/**
 * Verifies a callback over the raw bytes and stores it once by its event id. Returns the body of the response and the work that remains, for the
 * caller to start after it has responded. Throws 404 for an unknown connection and 400 for a wrong signature.
 */
export async function receive(
  gatewayName: string,
  connectionId: string,
  raw: Uint8Array,
  headers: Headers,
  requestId: string,
): Promise<{ reply: string; work: () => Promise<void> }> {
  if (!/^[0-9a-f]{32}$/.test(connectionId) || !/^[a-z]+$/.test(gatewayName)) throw notFound();
  const row = await unscopedFindConnection(gatewayName, connectionId);
  if (!row || row.revokedAt !== null) throw notFound();
  const { gateway, connection } = openAccount(row);
  const callback = await gateway.verifyCallback(connection, raw, headers);
  if (!callback)
    throw new Problem(400, "malformed_request", "The callback's signature is not valid.");
  assertStorable(callback);
  const named = {
    businessId: row.businessId,
    connectionId,
    eventId: callback.eventId,
    type: callback.type,
    about: callback.about,
    disputeChange: callback.disputeChange ?? null,
    reference: callback.reference,
    gatewayId: callback.gatewayId ?? null,
    amount: callback.claims?.money?.amount ?? null,
    currency: callback.claims?.money?.currency ?? null,
  };
  const ctx = systemCtx(row, { kind: "gateway", id: connectionId }, requestId);
  const isOurs = strangerIn(callback, row) === null || (await isAboutOurs(ctx, named));
  const stored = { ...named, ...decideStored(callback, row, isOurs) };
  const storedAt = await unscopedStoreCallback(stored);
  await unscopedNoteCallback(row);
  if (storedAt && stored.problem)
    log.error(
      {
        request_id: requestId,
        connection: connectionId,
        event: callback.eventId,
        problem: stored.problem,
      },
      "a callback was set aside",
    );
  return {
    reply: gateway.callbackReply,
    work: async () => {
      if (storedAt && stored.state === "new")
        await workTogether({
          row: { ...stored, mode: row.mode, tries: 0, fence: 0, createdAt: storedAt },
          requestId,
        });
    },
  };
}

const MAX_TEXT_LENGTH = 255;

/** A signature proves who wrote a text, not that Postgres can store or index it. Throws 400. */
function assertStorable({ eventId, type, reference, gatewayId, claims }: Callback): void {
  const texts = [eventId, type, reference, gatewayId ?? "", claims?.account ?? ""];
  if (
    texts.some(
      (text) => text.length > MAX_TEXT_LENGTH || /\p{Cc}/u.test(text) || !text.isWellFormed(),
    )
  )
    throw new Problem(400, "malformed_request", "The callback holds a text that is not valid.");
}

type Stored = Pick<
  CallbackRow,
  | "businessId"
  | "connectionId"
  | "eventId"
  | "about"
  | "disputeChange"
  | "reference"
  | "gatewayId"
  | "amount"
  | "currency"
  | "problem"
  | "tries"
  | "fence"
  | "createdAt"
> & { mode: Mode };

/** Callbacks that come within so long are worked at the same time, so that their statements travel together. */
const GATHER_MS = 50;

const workTogether = together<{ row: Stored; requestId: string }, void>(
  async (list) => list.map(({ row, requestId }) => work(row, requestId)),
  1,
  200,
  GATHER_MS,
);

/** A callback only says where to look; the gateway is asked for the truth. Without its payment a callback is tried again. */
export async function work(row: Stored, requestId: string): Promise<void> {
  const ctx = systemCtx(row, { kind: "gateway", id: row.connectionId }, requestId);
  const logged = { request_id: requestId, connection: row.connectionId, event: row.eventId };
  try {
    const outcome = await outcomeOf(ctx, row);
    if (!outcome) return;
    if (outcome.kind === "unmatched" && outcome.retrySeconds === null && namesOurs(row))
      log.error(logged, "a gateway speaks of a payment that is not known");
    if (outcome.kind === "quarantined" && outcome.problem !== row.problem)
      log.error({ ...logged, problem: outcome.problem }, "a callback was set aside");
    await close(row, outcome);
  } catch (error) {
    if (!(error instanceof TooEarly))
      log.error(
        { ...logged, err: error },
        "a callback could not be worked; it will be tried again",
      );
    // Without a database the lease ends by time.
    await close(row, retryOf(row)).catch(() => undefined);
  }
}

/** A process of an earlier version connects an account again without resuming its callbacks. */
const REVOKED_RETRY_SECONDS = 86_400;

/** Lets a callback wait: a revoked account has no answers. Connecting it again resumes its callbacks at once. One that was set aside stays so. */
export const waitForAccount = (row: Stored): Promise<void> =>
  close(
    row,
    row.problem === null
      ? { kind: "new", retrySeconds: REVOKED_RETRY_SECONDS }
      : { kind: "quarantined", problem: row.problem },
  );

/** Undefined while a worker sends the charge: its answer is booked first, and the callback is worked at the time that it was stored with. */
async function outcomeOf(ctx: Ctx, row: Stored): Promise<Outcome | undefined> {
  const { connectionId, reference, gatewayId } = row;
  if (row.about === "nothing") return { kind: "done" };
  if (row.about === "method") return workMethod(ctx, row);
  const payment = await paymentOf(ctx, row);
  if (payment && isBeingSent(payment)) return undefined;
  if (payment) return workPayment(ctx, row, payment);
  if (reference !== "" && (await reconcileReference(ctx, connectionId, reference, gatewayId)))
    return { kind: "done" };
  return decideUnmatched(row, await databaseNow());
}

/** Asks the gateway which of our attempts saved the method, and what the method is now. Other programs may save methods at the same account. */
async function workMethod(ctx: Ctx, { connectionId, gatewayId }: Stored): Promise<Outcome> {
  const account = await resolveGatewayOf(ctx, connectionId);
  const { attemptOfMethod } = account.gateway;
  if (attemptOfMethod === null || gatewayId === null) return { kind: "done" };
  const attempt = await callGateway("looking up who saved a method", () =>
    attemptOfMethod(account.connection, gatewayId),
  );
  if (attempt.kind === "unknown") throw new TooEarly(attempt.reason);
  if (attempt.kind === "nothing") return { kind: "unmatched", retrySeconds: null };
  const followed = await followMethod(ctx, account, attempt.reference);
  if (followed.kind === "unknown") throw new TooEarly(followed.reason);
  return followed.kind === "nothing" ? { kind: "unmatched", retrySeconds: null } : { kind: "done" };
}

const close = (row: Stored, outcome: Outcome): Promise<void> =>
  unscopedCloseCallback(
    row,
    outcome.kind,
    "retrySeconds" in outcome ? outcome.retrySeconds : null,
    outcome.kind === "quarantined" ? outcome.problem : null,
  );

async function paymentOf(ctx: Ctx, row: Stored): Promise<PaymentRow | undefined> {
  const named = row.reference === "" ? undefined : await findPayment(ctx, row.reference);
  if (named) return named.connectionId === row.connectionId ? named : undefined;
  return row.gatewayId === null
    ? undefined
    : paymentByGatewayId(ctx, row.connectionId, row.gatewayId);
}

/** Whether a callback names a payment or token of this business, also one of an earlier connection. */
async function isAboutOurs(
  ctx: Ctx,
  { connectionId, reference, gatewayId }: Pick<Stored, "connectionId" | "reference" | "gatewayId">,
): Promise<boolean> {
  const saving = parseReference(reference);
  if (saving && (await findTokenization(ctx, saving.id))) return true;
  if (reference !== "" && (await findPayment(ctx, reference))) return true;
  return gatewayId !== null && Boolean(await paymentByGatewayId(ctx, connectionId, gatewayId));
}

/** Asks the gateway whatever the callback says, and compares the two. */
async function workPayment(ctx: Ctx, row: Stored, payment: PaymentRow): Promise<Outcome> {
  const looked = await reconcileAfterCallback(ctx, payment, row.gatewayId);
  await reconcileRefundsOf(ctx, payment.id);
  const problem =
    (looked === "absent" ? problemOf(decideUnshown(row, await databaseNow())) : null) ??
    (isAboutReturns(row) ? await problemOfReturns(ctx, row, payment) : null) ??
    otherMoneyIn(row, payment);
  if (problem !== null) return { kind: "quarantined", problem };
  if (mayHaveSetAside(row, payment)) await reopenQuarantined(ctx, db, payment);
  return { kind: "done" };
}

/** Syncs refunds and disputes. Returns what of them is not booked, in words. Throws TooEarly for what the gateway does not show yet. */
async function problemOfReturns(
  ctx: Ctx,
  row: Stored,
  payment: PaymentRow,
): Promise<string | null> {
  let synced: Synced | null;
  try {
    synced = await syncRefundsAndDisputes(ctx, payment.id);
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    const unclear = decideUnclear(row, error.message, await databaseNow());
    if (unclear.kind === "wait") throw error;
    return unclear.problem;
  }
  return problemOf(decideReturns(row, payment, synced, await databaseNow()));
}

function problemOf(comparison: Comparison): string | null {
  if (comparison.kind === "wait") throw new TooEarly(comparison.reason);
  return comparison.kind === "problem" ? comparison.problem : null;
}
