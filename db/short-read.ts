import { pool } from "./client";
import { snapshotRead } from "./snapshot-read";

/** Runs statements that only read, each ended after `statementMs`, on a connection that serves no request. */
export async function shortRead<T>(statementMs: number, body: () => Promise<T>): Promise<T> {
  return snapshotRead(await pool("long").connect(), statementMs, body);
}
