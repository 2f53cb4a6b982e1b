import { assertNoTransaction } from "@/db/client";
import type { Unknown } from "@/lib/gateways/gateway";

/** How long an adapter may take to return, with all its requests. */
export const GATEWAY_TIMEOUT_SECONDS = 40;

const READ_AND_WRITE_SECONDS = 30;

/** The lease, in seconds, for work that calls a gateway this many times in a row. */
export const leaseSeconds = (calls: number): number =>
  calls * GATEWAY_TIMEOUT_SECONDS + READ_AND_WRITE_SECONDS;

/** Calls a gateway with no transaction open. A call that throws or takes too long returns `unknown`. */
export async function callGateway<T extends { kind: string }>(
  what: string,
  call: () => Promise<T>,
): Promise<T | Unknown> {
  assertNoTransaction(what);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Unknown>((resolve) => {
    timer = setTimeout(
      () => resolve({ kind: "unknown", reason: "The payment provider took too long to answer." }),
      GATEWAY_TIMEOUT_SECONDS * 1_000,
    );
  });
  try {
    return await Promise.race([call(), late]);
  } catch (error) {
    return { kind: "unknown", reason: error instanceof Error ? error.message : "no answer" };
  } finally {
    clearTimeout(timer);
  }
}
