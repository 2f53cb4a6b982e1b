import { fairQueue } from "@/lib/kernel/fair-queue";
import { overloaded } from "@/lib/kernel/problem";
import { HEAVY_READ_CONNECTIONS, pool } from "./client";
import { replicaRead } from "./replica";
import { snapshotRead } from "./snapshot-read";
import { QUERY_CANCELED, sqlStateOf } from "./sql-state";

/** A statement of a heavy read that takes longer is ended. */
const STATEMENT_MS = 8_000;
const RETRY_SECONDS = 5;

// One connection is left to other businesses while one has reads under way.
const queue = fairQueue({
  running: HEAVY_READ_CONNECTIONS,
  runningPerOwner: HEAVY_READ_CONNECTIONS - 1,
  waitingPerKind: 32,
  waiting: 256,
  waitMs: 30_000,
});

/** For whom a read runs; `disconnected` aborts when the caller goes away, which frees its place. */
type Reader = { readonly businessId: number; readonly disconnected?: () => AbortSignal };
export type HeavyRead = "search" | "export";

/**
 * Runs a search, a count or a part of an export, in its turn among those of the business. It uses the replica, or connections apart, and each
 * statement has a time limit. `body` runs on one snapshot. Throws 429 when the queue is full or a statement takes too long.
 */
export function heavyRead<T>(
  reader: Reader,
  kind: HeavyRead,
  body: () => Promise<T>,
  statementMs = STATEMENT_MS,
): Promise<T> {
  return queue.run(
    reader.businessId,
    kind,
    () => limited(body, statementMs),
    reader.disconnected?.(),
  );
}

async function limited<T>(body: () => Promise<T>, statementMs: number): Promise<T> {
  const onPrimary = async () => snapshotRead(await pool("heavyRead").connect(), statementMs, body);
  try {
    return await replicaRead(body, onPrimary, statementMs);
  } catch (error) {
    throw sqlStateOf(error) === QUERY_CANCELED ? overloaded(RETRY_SECONDS, error) : error;
  }
}
