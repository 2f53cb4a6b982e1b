import type pg from "pg";
import { connectClient } from "../connection";

/**
 * Texts of values that every version of Postgres reads alike; work of any length. A store that stalls keeps us from reading, and
 * `tcp_user_timeout` would end the connection then: deploy/patroni sets five seconds.
 */
const SETTINGS = `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 3; set local bytea_output = 'hex'; set local client_encoding = 'UTF8'; set local client_min_messages = error;
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local tcp_user_timeout = 0`;

/** Runs `body` in one transaction on a connection of its own, for work of any length. */
export async function copySession<T>(
  mode: string,
  body: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectClient(undefined, {
    statementLimitMs: 0,
    application_name: "kutip copy",
  });
  try {
    await client.query(`begin ${mode}; ${SETTINGS}`);
    const result = await body(client);
    await client.query("commit");
    return result;
  } finally {
    // A transaction that is open is rolled back by that.
    await client.end();
  }
}
