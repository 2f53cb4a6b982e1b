import { afterAll, expect, test, vi } from "vitest";
import { closePool, pool } from "./client";

// Alone in its file: a statement of another test may leave its look running.
afterAll(closePool);

const LOOK_MS = 100;
const begun = vi.spyOn(globalThis, "setInterval");
const ended = vi.spyOn(globalThis, "clearInterval");

/** How many intervals look at the connections. */
function looking(): number {
  const timers = begun.mock.results.filter((_, call) => begun.mock.calls[call]?.[1] === LOOK_MS);
  const gone = new Set(ended.mock.calls.map(([timer]) => timer));
  return timers.filter(({ value }) => !gone.has(value)).length;
}

test("connections are looked at while a statement runs, and not while none does", async () => {
  await pool().query("select");
  await expect.poll(looking).toBe(0);
  const asked = pool().query("select pg_sleep(0.3)");
  await expect.poll(looking).toBe(1);
  await asked;
  await expect.poll(looking).toBe(0);
});
