import { onConnection, pool } from "./client";

/**
 * Runs statements that only read, each ended after `statementMs`, on a connection that serves no request. `body` runs one
 * statement at a time.
 */
export async function shortRead<T>(statementMs: number, body: () => Promise<T>): Promise<T> {
  const client = await pool("long").connect();
  let broken = false;
  try {
    await client.query(`begin read only; set local statement_timeout = ${statementMs}`);
    return await onConnection(client, body);
  } finally {
    // Nothing was written: the transaction only bounds the setting.
    await client.query("rollback").catch(() => (broken = true));
    client.release(broken);
  }
}
