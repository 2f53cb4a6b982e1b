import { assertNoTransaction } from "@/db/client";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { unseal } from "@/lib/kernel/secrets";
import { passTime } from "./bank";
import * as callbackRows from "./callback-rows";
import * as rows from "./rows";
import * as sessionRows from "./session-rows";
import { backOffMs, callbackLimitMs, maxCallbackTries } from "./rules";
import { sign, signatureHeader } from "./signature";

/** `connectionId` keeps a run to one connection; `baseUrl` is where callbacks go instead of BASE_URL. */
type TickOptions = { connectionId?: string; baseUrl?: string };
type TickReport = { settled: number; expired: number; delivered: number; undelivered: number };

const batch = 50;

/**
 * Does what is due at the simulator: pending payments succeed, forgotten pages close, callbacks go out.
 * Safe to run in any number of processes at once. Throws only when the database is away.
 */
export async function tick(options: TickOptions = {}): Promise<TickReport> {
  const passed = await passTime(batch, options.connectionId);
  return { ...passed, ...(await deliverCallbacks(options)) };
}

/** A pending payment of a connection succeeds now instead of later, for what runs under a test clock. */
export async function settleAtOnce(connectionId: string, reference: string): Promise<void> {
  await sessionRows.hurryReference(connectionId, reference);
  await passTime(1_000, connectionId);
}

/** Sends the callbacks that are due, each claimed by one process only; what is not answered with 2xx is tried again later. */
export async function deliverCallbacks(
  options: TickOptions = {},
): Promise<Pick<TickReport, "delivered" | "undelivered">> {
  assertNoTransaction("the simulator's callbacks");
  const leaseMs = callbackLimitMs * 4;
  const due = await callbackRows.claimCallbacks({
    limit: batch,
    leaseMs,
    maxTries: maxCallbackTries,
    connectionId: options.connectionId,
  });
  const results = await Promise.all(
    due.map((callback) => deliver(callback, options.baseUrl ?? env.BASE_URL)),
  );
  const delivered = results.filter(Boolean).length;
  return { delivered, undelivered: results.length - delivered };
}

async function deliver(callback: callbackRows.DueCallback, baseUrl: string): Promise<boolean> {
  if (await post(callback, baseUrl)) {
    await callbackRows.markDelivered(callback);
    return true;
  }
  await callbackRows.retryCallback(callback, backOffMs(callback.tries));
  return false;
}

async function post(callback: callbackRows.DueCallback, baseUrl: string): Promise<boolean> {
  const account = await rows.getAccount(callback.connectionId);
  if (!account) return false;
  const raw = new TextEncoder().encode(callback.body);
  try {
    const response = await fetch(
      `${baseUrl}/api/gateways/simulator/callback/${callback.connectionId}`,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          [signatureHeader]: sign(unseal(account.secretSealed, "gateway"), raw, Date.now()),
        },
        body: raw,
        redirect: "manual",
        signal: AbortSignal.timeout(callbackLimitMs),
      },
    );
    await response.body?.cancel();
    if (response.ok) return true;
    log.warn(
      { connection: callback.connectionId, status: response.status, tries: callback.tries },
      "a simulator callback was not accepted",
    );
  } catch (error) {
    log.warn(
      { err: error, connection: callback.connectionId, tries: callback.tries },
      "a simulator callback was not delivered",
    );
  }
  return false;
}
