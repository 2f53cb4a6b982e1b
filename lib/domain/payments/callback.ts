import { log } from "@/lib/kernel/log";
import { notFound, Problem } from "@/lib/kernel/problem";
import { connectionById, unscopedFindConnection } from "../businesses/rows";
import { systemCtx } from "../context";
import { reconcileReference } from "../tokenizations/reconcile";
import { lineOf } from "../businesses/line";
import { reconcile } from "./reconcile";
import { reconcileRefundsOf } from "./refunds/reconcile";
import { type CallbackRow, findPayment, unscopedClaimCallbacks, unscopedCloseCallback, unscopedStoreCallback } from "./rows";

/**
 * A gateway calls back: verified over the raw bytes, stored once by its event id. Answers the work that remains, for the caller to start
 * after it has answered. Throws 404 for an address that is not ours and 400 for a signature that is not right.
 */
export async function receive(gatewayName: string, connectionId: string, raw: Uint8Array, headers: Headers, requestId: string): Promise<() => Promise<void>> {
  const row = await unscopedFindConnection(gatewayName, connectionId);
  if (!row) throw notFound();
  const { gateway, connection } = lineOf(row);
  const callback = await gateway.verifyCallback(connection, raw, headers);
  if (!callback) throw new Problem(400, "malformed_request", "The callback's signature is not valid.");
  const stored = { businessId: row.businessId, connectionId, eventId: callback.eventId, type: callback.type, reference: callback.reference };
  const fresh = await unscopedStoreCallback(stored);
  return async () => {
    if (fresh) await work({ ...stored, mode: row.mode, tries: 0, createdAt: new Date().toISOString() }, requestId);
  };
}

type Stored = Pick<CallbackRow, "businessId" | "connectionId" | "eventId" | "reference" | "tries" | "createdAt"> & { mode: "test" | "live" };

const alarmAfterMinutes = 15;

/** A callback only says where to look: the truth is asked of the gateway. One whose payment is not there yet is tried again. */
async function work(row: Stored, requestId: string): Promise<void> {
  const ctx = systemCtx(row, { kind: "gateway", id: row.connectionId }, requestId);
  try {
    const payment = await findPayment(ctx, row.reference);
    if (payment && payment.connectionId === row.connectionId) {
      await reconcile(ctx, payment);
      await reconcileRefundsOf(ctx, payment.id);
      return await unscopedCloseCallback(row, "done", null);
    }
    if (await reconcileReference(ctx, row.connectionId, row.reference)) return await unscopedCloseCallback(row, "done", null);
    const old = Date.now() - Date.parse(row.createdAt) > alarmAfterMinutes * 60_000;
    if (old) log.error({ request_id: requestId, connection: row.connectionId, event: row.eventId }, "a gateway speaks of a payment nobody knows");
    await unscopedCloseCallback(row, "unmatched", old ? null : 30);
  } catch (error) {
    log.error({ request_id: requestId, connection: row.connectionId, event: row.eventId, err: error }, "a callback could not be worked; it will be tried again");
  }
}

/** The worker's part: callbacks that were stored and not finished. Answers how many it took up. */
export async function workCallbacks(limit: number, requestId: string): Promise<number> {
  const rows = await unscopedClaimCallbacks(limit);
  for (const row of rows) {
    const connection = await connectionById(row.businessId, row.connectionId);
    if (connection) await work({ ...row, mode: connection.mode }, requestId);
  }
  return rows.length;
}
