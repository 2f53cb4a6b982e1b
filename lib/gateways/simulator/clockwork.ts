import { assertNoTransaction } from "@/db/client";
import { log } from "@/lib/kernel/log";
import { unseal } from "@/lib/kernel/secrets";
import { passTime } from "./bank";
import * as callbackRows from "./callback-rows";
import * as rows from "./rows";
import * as sessionRows from "./session-rows";
import { backOffMs, callbackLimitMs } from "./rules";
import { sign, signatureHeader } from "./signature";

/** A pending payment of a connection succeeds now instead of later, for what runs under a test clock. */
export async function settleAtOnce(connectionId: string, reference: string): Promise<void> {
  await sessionRows.hurryReference(connectionId, reference);
  await passTime({ connectionId });
}

/** Sends a callback; one that is not answered with 2xx is tried again later. Returns whether it was delivered. */
export async function deliver(
  callback: callbackRows.DueCallback,
  baseUrl: string,
): Promise<boolean> {
  assertNoTransaction("a simulator callback");
  const delivered = await post(callback, baseUrl);
  await callbackRows.closeCallback(callback, delivered ? undefined : backOffMs(callback.tries + 1));
  return delivered;
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
