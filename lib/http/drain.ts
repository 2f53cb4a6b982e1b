import type { Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { endStreams } from "./live";

const IDLE_CHECK_MS = 250;
const CLOSE_LIMIT_MS = 25_000;

let draining = false;

/** Whether this process is about to stop: it is not ready, and each answer ends its connection. */
export const isDraining = (): boolean => draining;

/**
 * Stops a server without resetting a request. For `waitMs` it listens on and says that it is not ready, so that load balancers send
 * new requests elsewhere. Then it closes, and resolves once the last answer is sent.
 */
export async function drain(
  server: Server,
  waitMs: number,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<void> {
  draining = true;
  if (waitMs > 0) await wait(waitMs);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  endStreams();
  // Our own answers end their connections; those of the pages are found idle soon after.
  setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS).unref();
  setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS).unref();
  await closed;
}
