/** How long this process waits for the database. Networks fail without a word, so every wait has an end on our side. */
const limits = {
  /** A statement of a request or of the worker; the server's own limit is below it. */
  requestMs: 10_000,
  /** A statement of exports, purges and the operator's commands. */
  longMs: 30 * 60_000,
  /** A new connection. */
  connectMs: 2_000,
  /** A free place in the pool, as long as a statement waits for a lock: a migration may hold a busy table for seconds. */
  placeMs: 6_000,
  /** Pause between two heartbeats. */
  heartbeatMs: 2_000,
  /** A heartbeat that is not answered for so long means that the network is lost. */
  heartbeatLimitMs: 5_000,
  /** How long a migration waits for a lock, and so how long others queue behind it. */
  migrationLockMs: 3_000,
  /** Between two checks whether this version may still write. */
  versionCheckMs: 5_000,
  /** Between two confirmations which secret is active. */
  confirmMs: 3_000,
  /** The next confirmation after one that failed. */
  confirmRetryMs: 500,
};

export type Limits = typeof limits;

let current: Limits = limits;

/** The limits in force. */
export const databaseLimits = (): Limits => current;

/** Replaces limits for connections that are made from now on; without an argument the usual ones come back. */
export function provideLimits(changed: Partial<Limits> = {}): void {
  current = { ...limits, ...changed };
}
