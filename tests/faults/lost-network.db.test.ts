import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { closePool, db, longWork, pool, withTransaction } from "@/db/client";
import { connectClient } from "@/db/connection";
import { provideLimits } from "@/db/limits";
import { listen } from "@/db/listen";
import { env, provideEnv } from "@/lib/env";
import { problemOf } from "@/lib/http/problems";
import { type Line, openLine } from "./cut-line";

const direct = env.DATABASE_URL ?? "";
const NEVER_MS = 3_600_000;
const quick = { requestMs: 1_500, connectMs: 1_000, heartbeatMs: 50, heartbeatLimitMs: 500 };
const withoutHeartbeat = { ...quick, heartbeatMs: NEVER_MS };
const withoutStatementLimit = { ...quick, requestMs: NEVER_MS, longMs: NEVER_MS };

let line: Line;
async function begin(limits: typeof quick & { longMs?: number }): Promise<void> {
  provideLimits(limits);
  provideEnv({ DATABASE_URL: line.url });
  await closePool();
}
beforeEach(async () => {
  line = await openLine(direct);
});
afterEach(async () => {
  await closePool();
  await line.close();
  provideLimits();
  provideEnv({ DATABASE_URL: direct });
});
afterAll(closePool);

const size = () => pool().options.max ?? 10;
const call = () => db.execute(sql`select 1 as one`);
const many = <T>(count: number, body: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, () => body().then(() => "done", problem)));
const problem = (error: unknown) => {
  const { status, options } = problemOf(error, "a test");
  return { status, retry: Boolean(options.headers?.["retry-after"]) };
};
const away = { status: 503, retry: true };
// Opening may take a busy machine longer than these tests wait for a connection; what has opened stays.
const fillPool = () =>
  vi.waitFor(
    async () => {
      expect(await many(size(), () => db.execute(sql`select pg_sleep(0.05)`))).not.toContainEqual(
        away,
      );
      expect(pool().totalCount).toBe(size());
    },
    { timeout: 60_000 },
  );
const works = async () => expect((await call()).rows).toEqual([{ one: 1 }]);
/** A connection may take longer to open than a call waits for it, on a busy machine. */
const worksSoon = () => vi.waitFor(works, { timeout: 60_000 });

test("calls on a line that is cut end as 503, more than the pool holds too, and the first one after it is back succeeds", async () => {
  await begin(quick);
  await fillPool();
  line.cut();
  expect(await many(3 * size(), call)).toEqual(Array(3 * size()).fill(away));
  line.mend();
  await works();
});

test("a connection that does not open in time ends as 503", async () => {
  await begin(withoutHeartbeat);
  line.cut();
  expect(await many(2, call)).toEqual([away, away]);
  line.mend();
  await worksSoon();
});

test("a statement under way and a transaction in its middle end as 503, and neither keeps its place in the pool", async () => {
  await begin(withoutHeartbeat);
  for (let round = 0; round < 2; round++) {
    await fillPool();
    const middle = withTransaction(async (tx) => {
      await tx.execute(sql`select 1`);
      line.cut();
      await tx.execute(sql`select 2`);
    }).catch(problem);
    expect(await middle).toEqual(away);
    // Each takes a dead connection that waited in the pool: `begin` is what fails.
    expect(await many(size() - 1, () => withTransaction(async () => undefined))).toEqual(
      Array(size() - 1).fill(away),
    );
    expect(pool().totalCount).toBe(0);
    line.mend();
    await worksSoon();
    await many(2 * size(), () => withTransaction(async (tx) => tx.execute(sql`select 1`)));
    expect(pool().waitingCount).toBe(0);
  }
});

test("connections that wait in the pool are found dead by the heartbeat, before any call takes them", async () => {
  await begin(withoutStatementLimit);
  await fillPool();
  line.cut();
  await vi.waitFor(() => expect(pool().totalCount).toBe(0), { timeout: 60_000 });
  line.mend();
  await worksSoon();
});

test("a long statement has no limit of its own: the heartbeat ends it when the line is cut, and not while it lives", async () => {
  await begin(withoutStatementLimit);
  const slow = (seconds: number) => longWork(() => db.execute(sql`select pg_sleep(${seconds})`));
  expect((await slow(1)).rowCount).toBe(1);
  const cut = slow(600).catch(problem);
  await vi.waitFor(
    async () => {
      const client = await connectClient(direct);
      const { rowCount } = await client
        .query(
          "select from pg_stat_activity where query like 'select pg_sleep(%' and state = 'active'",
        )
        .finally(() => client.end());
      expect(rowCount).toBe(1);
    },
    { timeout: 60_000 },
  );
  line.cut();
  expect(await cut).toEqual(away);
});

test("a heartbeat that stops ends the connections of its own address alone", async () => {
  await begin(withoutStatementLimit);
  const other = await openLine(direct);
  try {
    provideEnv({ DATABASE_DIRECT_URL: other.url });
    const session = () => pool("long").query("select pg_backend_pid() as pid");
    const { rows } = await session();
    await fillPool();
    line.cut();
    await vi.waitFor(() => expect(pool().totalCount).toBe(0), { timeout: 60_000 });
    expect((await session()).rows).toEqual(rows);
    line.mend();
    await fillPool();
    other.cut();
    await vi.waitFor(() => expect(pool("long").totalCount).toBe(0), { timeout: 60_000 });
    expect(pool().totalCount).toBe(size());
  } finally {
    await closePool();
    await other.close();
    provideEnv({ DATABASE_DIRECT_URL: "" });
  }
});

test("a statement that the server ends in time leaves its connection in use", async () => {
  await begin(quick);
  const pids = new Set<unknown>();
  const overdue = withTransaction(async (tx) => {
    pids.add((await tx.execute(sql`select pg_backend_pid() as pid`)).rows[0]?.pid);
    await tx.execute(sql`select pg_sleep(60)`);
  });
  expect(await overdue.catch(problem)).toEqual(away);
  pids.add((await db.execute(sql`select pg_backend_pid() as pid`)).rows[0]?.pid);
  expect(pids.size).toBe(1);
});

test("a listener hears again after its line was cut", async () => {
  await begin(quick);
  let ready = 0;
  const heard: string[] = [];
  const stop = listen("kutip_line_test", {
    ready: () => ready++,
    notice: (payload) => heard.push(payload),
  });
  try {
    await vi.waitFor(() => expect(ready).toBe(1));
    line.cut();
    line.mend();
    await vi.waitFor(() => expect(ready).toBe(2), { timeout: 60_000 });
    await pool().query("select pg_notify('kutip_line_test', 'again')");
    await vi.waitFor(() => expect(heard).toEqual(["again"]));
  } finally {
    stop();
  }
});
