import pg from "pg";
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { env, provideEnv } from "@/lib/env";
import { health, live, ready } from "@/lib/http/health";
import { version } from "@/lib/kernel/version";
import { unscopedBeat } from "@/lib/jobs/workers-rows";
import { ownDatabaseEach } from "../own-database";
import { somePerson } from "../staff/person";

// Each test has an install of its own. No worker has ever been there.
ownDatabaseEach();
let url = "";
beforeEach(() => {
  url = env.DATABASE_URL ?? "";
});
afterAll(closePool);

const asked = async (check: () => Promise<Response>) => {
  const response = await check();
  return [response.status, await response.json()];
};
const name = () => new URL(url).pathname.slice(1);

test("without a worker the process is live and ready, and the install is not well until one comes", async () => {
  expect(await asked(live)).toEqual([200, { status: "ok" }]);
  expect(await asked(ready)).toEqual([200, { status: "ok", database: "ok", migrations: "ok" }]);
  expect(await asked(health)).toEqual([
    503,
    { status: "unavailable", database: "ok", migrations: "ok", worker: "down" },
  ]);
  await unscopedBeat("health-test", process.pid);
  expect((await asked(health))[0]).toBe(200);
});

test("a database that takes no writes is not ready, and the process is live", async () => {
  await db.execute(`alter database ${name()} set default_transaction_read_only = on`);
  await closePool();
  expect(await asked(ready)).toEqual([
    503,
    { status: "unavailable", database: "down", migrations: "ok" },
  ]);
  expect((await asked(health))[0]).toBe(503);
  expect((await asked(live))[0]).toBe(200);
});

test("a database that lacks a migration is not ready", async () => {
  await db.execute("delete from drizzle.__drizzle_migrations");
  expect(await asked(ready)).toEqual([
    503,
    { status: "unavailable", database: "ok", migrations: "down" },
  ]);
});

test("a database that cannot be reached is not ready, and the process is live", async () => {
  provideEnv({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
  await closePool();
  expect(await asked(ready)).toEqual([
    503,
    { status: "unavailable", database: "down", migrations: "down" },
  ]);
  expect((await asked(live))[0]).toBe(200);
  provideEnv({ DATABASE_URL: url });
  await closePool();
});

test("a process whose pools are full of other work, such as erasures, is ready", async () => {
  const taken = await Promise.all(
    (["request", "long", "heavyRead"] as const)
      .map((name) => pool(name))
      .flatMap((one) => Array.from({ length: one.options.max }, () => one.connect())),
  );
  try {
    expect((await asked(ready))[0]).toBe(200);
  } finally {
    for (const client of taken) client.release();
  }
});

test("however many ask at once, one check answers them all", async () => {
  const query = vi.spyOn(pg.Client.prototype, "query");
  await ready();
  const once = query.mock.calls.length;
  query.mockClear();
  const answers = await Promise.all(Array.from({ length: 50 }, () => asked(ready)));
  expect(answers.map(([status]) => status)).toEqual(Array.from({ length: 50 }, () => 200));
  expect(query.mock.calls.length).toBeLessThanOrEqual(once);
  query.mockRestore();
});

const withCookie = (cookie: string, clientAddress?: string) =>
  health(new Request("http://localhost:3000/api/health", { headers: { cookie } }), {
    ...(clientAddress === undefined ? {} : { clientAddress }),
  });

test("calls with a session cookie share one check and one look at a session, made-up ones too", async () => {
  const query = vi.spyOn(pg.Client.prototype, "query");
  await withCookie("kutip.session_token=first");
  const once = query.mock.calls.length;
  for (const cookieOf of [() => "made-up", (call: number) => `made-up-${call}`]) {
    query.mockClear();
    await Promise.all(
      Array.from({ length: 50 }, (_, call) => withCookie(`kutip.session_token=${cookieOf(call)}`)),
    );
    expect(query.mock.calls.length).toBeLessThanOrEqual(once);
  }
  query.mockRestore();
});

test("staff see the version, until their address has asked for as many pages as it may", async () => {
  provideEnv({ RATE_LIMIT_PAYER: "2" });
  onTestFinished(() => provideEnv({ RATE_LIMIT_PAYER: "120" }));
  const { cookie } = await somePerson();
  const seen = async (address: string) =>
    ((await (await withCookie(cookie, address)).json()) as { version?: string }).version;
  expect([await seen("192.0.2.1"), await seen("192.0.2.1"), await seen("192.0.2.1")]).toEqual([
    version,
    version,
    undefined,
  ]);
  expect(await seen("192.0.2.2")).toBe(version);
});

test("a session is looked at on the connection of checks: a full pool of requests hides no version", async () => {
  const { cookie } = await somePerson();
  const requests = pool("request");
  const taken = await Promise.all(
    Array.from({ length: requests.options.max }, () => requests.connect()),
  );
  try {
    expect(await (await withCookie(cookie)).json()).toMatchObject({ version });
  } finally {
    for (const client of taken) client.release();
  }
});
