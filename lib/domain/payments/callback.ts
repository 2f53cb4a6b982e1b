import type { Callback } from "@/lib/gateways/gateway";
import { log } from "@/lib/kernel/log";
import { displayAmount } from "@/lib/kernel/money";
import { notFound, Problem } from "@/lib/kernel/problem";
import { lineOf } from "../businesses/line";
import {
  type ConnectionRow,
  connectionById,
  unscopedFindConnection,
  unscopedNoteCallback,
} from "../businesses/rows";
import { type Ctx, systemCtx } from "../context";
import { reconcileReference } from "../tokenizations/reconcile";
import { recordAftermath, TooEarly } from "./aftermath";
import { unseenOf } from "./disputes";
import { reconcileTold } from "./reconcile";
import { reconcileRefundsOf } from "./refunds/reconcile";
import { nextCheckSeconds } from "./rules";
import {
  type CallbackRow,
  unscopedClaimCallbacks,
  unscopedCloseCallback,
  unscopedStoreCallback,
} from "./callback-rows";
import { findPayment, paymentByGatewayId, type PaymentRow } from "./rows";

/**
 * A gateway calls back: verified over the raw bytes, stored once by its event id. Answers the work that remains, for the caller to start
 * after it has answered. Throws 404 for an address that is not ours and 400 for a signature that is not right.
 */
export async function receive(
  gatewayName: string,
  connectionId: string,
  raw: Uint8Array,
  headers: Headers,
  requestId: string,
): Promise<() => Promise<void>> {
  if (!/^[0-9a-f]{32}$/.test(connectionId) || !/^[a-z]+$/.test(gatewayName)) throw notFound();
  const row = await unscopedFindConnection(gatewayName, connectionId);
  if (!row || row.revokedAt !== null) throw notFound();
  const { gateway, connection } = lineOf(row);
  const callback = await gateway.verifyCallback(connection, raw, headers);
  if (!callback)
    throw new Problem(400, "malformed_request", "The callback's signature is not valid.");
  assertStorable(callback);
  const stored = {
    businessId: row.businessId,
    connectionId,
    eventId: callback.eventId,
    type: callback.type,
    reference: callback.reference,
    gatewayId: callback.gatewayId ?? null,
    amount: callback.said?.money?.amount ?? null,
    currency: callback.said?.money?.currency ?? null,
    problem: strangerIn(callback, row),
  };
  const fresh = await unscopedStoreCallback(stored);
  await unscopedNoteCallback(row);
  if (fresh && stored.problem)
    log.error(
      {
        request_id: requestId,
        connection: connectionId,
        event: callback.eventId,
        problem: stored.problem,
      },
      "a callback was set aside",
    );
  return async () => {
    if (fresh && !stored.problem)
      await work(
        { ...stored, mode: row.mode, tries: 0, createdAt: new Date().toISOString() },
        requestId,
      );
  };
}

const maxTextLength = 255;

/** A signature proves who wrote a text, not that Postgres can store or index it. Throws 400. */
function assertStorable({ eventId, type, reference, gatewayId, said }: Callback): void {
  const texts = [eventId, type, reference, gatewayId ?? "", said?.account ?? ""];
  if (
    texts.some(
      (text) => text.length > maxTextLength || /\p{Cc}/u.test(text) || !text.isWellFormed(),
    )
  )
    throw new Problem(400, "malformed_request", "The callback holds a text that is not valid.");
}

/** Rightly signed, and yet not about this connection; null when it is. */
function strangerIn({ said }: Callback, row: ConnectionRow): string | null {
  if (said && said.mode !== row.mode)
    return `It speaks of ${said.mode} mode; this connection is of ${row.mode} mode.`;
  if (said?.account && said.account !== row.account)
    return `It speaks of another account (${said.account}).`;
  return null;
}

type Stored = Pick<
  CallbackRow,
  | "businessId"
  | "connectionId"
  | "eventId"
  | "type"
  | "reference"
  | "gatewayId"
  | "amount"
  | "currency"
  | "tries"
  | "createdAt"
> & { mode: "test" | "live" };

const alarmAfterMinutes = 15;

/** A callback only says where to look: the truth is asked of the gateway. One whose payment is not there yet is tried again. */
async function work(row: Stored, requestId: string): Promise<void> {
  const ctx = systemCtx(row, { kind: "gateway", id: row.connectionId }, requestId);
  try {
    const payment = await paymentOf(ctx, row);
    if (payment) return await workPayment(ctx, row, payment);
    if (row.reference === "" && row.gatewayId === null)
      return await unscopedCloseCallback(row, "done", null);
    if (
      row.reference !== "" &&
      (await reconcileReference(ctx, row.connectionId, row.reference, row.gatewayId))
    )
      return await unscopedCloseCallback(row, "done", null);
    const old = Date.now() - Date.parse(row.createdAt) > alarmAfterMinutes * 60_000;
    // Without a reference of ours it may be about what others do with the same account.
    if (old && row.reference !== "")
      log.error(
        { request_id: requestId, connection: row.connectionId, event: row.eventId },
        "a gateway speaks of a payment nobody knows",
      );
    await unscopedCloseCallback(row, "unmatched", old ? null : 30);
  } catch (error) {
    if (!(error instanceof TooEarly))
      log.error(
        { request_id: requestId, connection: row.connectionId, event: row.eventId, err: error },
        "a callback could not be worked; it will be tried again",
      );
    // Without a database its claim ends by itself.
    await unscopedCloseCallback(row, "new", nextCheckSeconds(row.tries)).catch(() => undefined);
  }
}

async function paymentOf(ctx: Ctx, row: Stored): Promise<PaymentRow | undefined> {
  const named = row.reference === "" ? undefined : await findPayment(ctx, row.reference);
  if (named) return named.connectionId === row.connectionId ? named : undefined;
  return row.gatewayId === null
    ? undefined
    : paymentByGatewayId(ctx, row.connectionId, row.gatewayId);
}

/** What it claims is compared, never believed; then the gateway is asked, whatever it claimed. */
async function workPayment(ctx: Ctx, row: Stored, payment: PaymentRow): Promise<void> {
  await reconcileTold(ctx, payment, row.gatewayId);
  await reconcileRefundsOf(ctx, payment.id);
  const problem =
    (/refund|dispute/.test(row.type) ? await followUp(ctx, row, payment) : null) ??
    otherMoneyIn(row, payment);
  if (problem === null) return unscopedCloseCallback(row, "done", null);
  log.error(
    { request_id: ctx.requestId, connection: row.connectionId, event: row.eventId, problem },
    "a callback was set aside",
  );
  return unscopedCloseCallback(row, "quarantined", null, problem);
}

function otherMoneyIn({ amount, currency }: Stored, payment: PaymentRow): string | null {
  if (amount === null || (amount === payment.amount && currency === payment.currency)) return null;
  return `It speaks of ${displayAmount(amount, currency ?? "")}; payment ${payment.id} asked for ${displayAmount(payment.amount, payment.currency)}.`;
}

/** What became of the money since. Answers what of it is not booked, in words; throws TooEarly for what cannot be seen at the gateway yet. */
async function followUp(ctx: Ctx, row: Stored, payment: PaymentRow): Promise<string | null> {
  const recorded = await recordAftermath(ctx, payment.id);
  if (!recorded)
    return `It speaks of a refund or dispute; payment ${payment.id} does not count as paid here.`;
  const unseen = unseenOf(row.type, recorded.told);
  if (unseen === null || recorded.problems.length > 0) return recorded.problems.join(" ") || null;
  if (Date.now() - Date.parse(row.createdAt) < alarmAfterMinutes * 60_000)
    throw new TooEarly(unseen);
  return unseen;
}

/** The worker's part: callbacks that were stored and not finished. Answers how many it took up. */
export async function workCallbacks(limit: number, requestId: string): Promise<number> {
  const rows = await unscopedClaimCallbacks(limit);
  await Promise.all(
    rows.map(async (row) => {
      const connection = await connectionById(row.businessId, row.connectionId);
      if (connection) await work({ ...row, mode: connection.mode }, requestId);
    }),
  );
  return rows.length;
}
