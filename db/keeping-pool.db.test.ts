import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "./client";
import { connectionOptions } from "./connection";
import { KeepingPool } from "./keeping-pool";

afterAll(closePool);

const failing = (state: string) =>
  `do $$ begin raise exception 'test' using errcode = '${state}'; end $$`;

/** The server process of the connection that has the next statement, before and after one that fails. */
async function around(state: string): Promise<[number, number]> {
  const pid = async () =>
    (await pool("long").query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid ?? 0;
  const before = await pid();
  await expect(pool("long").query(failing(state))).rejects.toMatchObject({ code: state });
  return [before, await pid()];
}

test.each([
  ["53100", "its disk is full"],
  ["53200", "it is out of memory"],
])("a connection is kept when the server refuses a statement by %s: %s", async (state) => {
  const [before, after] = await around(state);
  expect(after).toBe(before);
});

test.each([
  ["25006", "it takes no writes: another server may"],
  ["0A000", "a prepared statement no longer fits"],
  ["26000", "a prepared statement is gone"],
  ["XX000", "something is wrong inside"],
])("a connection is replaced when the server refuses a statement by %s: %s", async (state) => {
  const [before, after] = await around(state);
  expect(after).not.toBe(before);
});

// Where a connection has no listener of its own, vitest reports an error outside any test here.
test("a connection that breaks in the middle of a statement ends that statement, and not the process that asked", async () => {
  const options = { ...connectionOptions(), statementLimitMs: 100, max: 1 };
  const own = new KeepingPool(options);
  own.on("error", () => undefined);
  await expect(own.query("select pg_sleep(60)")).rejects.toMatchObject({ code: "ETIMEDOUT" });
  expect((await own.query("select 1")).rowCount).toBe(1);
  await own.end();
});
