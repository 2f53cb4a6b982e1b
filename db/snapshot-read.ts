import type pg from "pg";
import { onConnection } from "./client";

/**
 * Runs statements that only read, all of them on one snapshot and each ended after `statementMs`. The connection goes back to its pool
 * afterwards, or is closed when it broke.
 */
export async function snapshotRead<T>(
  client: pg.PoolClient,
  statementMs: number,
  body: () => Promise<T>,
): Promise<T> {
  let broken = false;
  try {
    await client.query(
      `begin isolation level repeatable read read only; set local statement_timeout = ${statementMs}`,
    );
    return await onConnection(client, body);
  } finally {
    // Nothing was written: the transaction only bounds the setting.
    await client.query("rollback").catch(() => (broken = true));
    client.release(broken);
  }
}
