import { expect } from "vitest";
import { closePool, pool } from "@/db/client";
import { provideLimits } from "@/db/limits";

/** Statements of a test wait 1.2 s for a lock; `provideLimits()` ends that. */
export async function waitBriefly(): Promise<void> {
  provideLimits({ requestMs: 2_000 });
  await closePool();
}

const waiting = async () =>
  (
    await pool("long").query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).rowCount;

/** Locks what a statement selects. Returns what waits until another statement has missed the lock, and then unlocks. */
export async function lockUntilMissed(select: string, ...values: string[]) {
  const client = await pool("long").connect();
  await client.query("begin");
  await client.query(select, values);
  return async (): Promise<void> => {
    try {
      const often = { timeout: 30_000, interval: 10 };
      await expect.poll(waiting, often).toBeGreaterThan(0);
      await expect.poll(waiting, often).toBe(0);
    } finally {
      await client.query("rollback");
      client.release();
    }
  };
}
