import { pool } from "./client";

/** Whether the database takes writes: a standby and a server that was switched to read-only do not. Throws when it cannot be reached. */
export async function takesWrites(): Promise<boolean> {
  const { rows } = await pool().query<{ writable: boolean }>(
    "select current_setting('transaction_read_only') = 'off' as writable",
  );
  return rows[0]?.writable === true;
}
