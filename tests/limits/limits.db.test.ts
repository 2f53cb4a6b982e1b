import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { db } from "@/db/client";
import { removeProcess, writeProcess } from "@/db/processes";
import { provideEnv } from "@/lib/env";
import { consume, giveBack, peek, reset, take } from "@/lib/domain/limits/limits";

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  provideEnv({ RATE_LIMIT_COST: "10", RATE_LIMIT_PAYER: "2", RATE_LIMIT_KEY: "1000" });
});
afterEach(() => vi.useRealTimers());

let callers = 0;
const someone = () => `caller-${++callers}`;

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => "allowed",
    (error: { status: number; options: { headers: Record<string, string> } }) => ({
      status: error.status,
      ...error.options.headers,
    }),
  );

/** Lets every window end, in the database and here. */
async function endWindows(): Promise<void> {
  await db.execute(sql`update rate_limits set ends_at = now() - interval '1 second'`);
  vi.advanceTimersByTime(24 * 3_600_000);
}

test("a limit counts down, refuses with the seconds to wait, and starts again after its window", async () => {
  const who = someone();
  const left = async () => (await consume("payer_address", who))["x-ratelimit-remaining"];
  expect([await left(), await left()]).toEqual(["1", "0"]);
  await db.execute(sql`update rate_limits set ends_at = now() + interval '39.5 seconds'`);
  expect(await refusal(consume("payer_address", who))).toMatchObject({
    status: 429,
    "x-ratelimit-limit": "2",
    "x-ratelimit-remaining": "0",
  });
  vi.advanceTimersByTime(20_000);
  expect(await refusal(consume("payer_address", who))).toMatchObject({ "retry-after": "40" });
  await endWindows();
  expect(await left()).toBe("1");
});

test.each(["cost", "sign_in"] as const)(
  "a refused call takes nothing of %s, so that a smaller one still passes",
  async (limit) => {
    provideEnv({ RATE_LIMIT_SIGN_IN: "10" });
    const who = someone();
    await consume(limit, who, 7);
    expect(await take(limit, who, 5)).toMatchObject({ allowed: false, remaining: 3 });
    expect(await take(limit, who, 3)).toMatchObject({ allowed: true, remaining: 0 });
  },
);

test.each([
  ["cost", 10],
  ["second_factor", 10],
  ["key", 1_000],
] as const)("calls of %s at the same moment get no more than the limit", async (limit, max) => {
  const who = someone();
  const answers = await Promise.all(Array.from({ length: max + 40 }, () => take(limit, who)));
  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(max);
});

test("to peek takes nothing, a point can be given back, and a reset gives everything back", async () => {
  const who = someone();
  await consume("second_factor", who, 10);
  expect(await peek("second_factor", who)).toMatchObject({ allowed: false, remaining: 0 });
  await giveBack("second_factor", who);
  expect(await peek("second_factor", who)).toMatchObject({ allowed: true, remaining: 1 });
  await reset("second_factor", who);
  expect(await peek("second_factor", who)).toMatchObject({ allowed: true, remaining: 10 });
});

test("limits and callers are counted apart; long names too", async () => {
  const long = "x".repeat(100_000);
  await consume("second_factor", `${long}1`, 10);
  expect(await take("second_factor", `${long}1`)).toMatchObject({ allowed: false });
  expect(await take("second_factor", `${long}2`)).toMatchObject({ allowed: true });
  expect(await take("account_address", `${long}1`)).toMatchObject({ allowed: true });
});

test("0 turns a limit off, and an unknown caller is not counted", async () => {
  expect(await consume("cost", undefined, 11)).toEqual({});
  provideEnv({ RATE_LIMIT_COST: "0" });
  expect(await consume("cost", someone(), 11)).toEqual({});
});

test("a transaction that is rolled back gives back what it took", async () => {
  const who = someone();
  const { withTransaction } = await import("@/db/client");
  await withTransaction(async (tx) => {
    await take("account_mail_sender", who, 50, tx);
    throw new Error("rolled back");
  }).catch(() => undefined);
  expect(await take("account_mail_sender", who, 50)).toMatchObject({ allowed: true });
});

/** The limits of another web process: modules of its own, and so counts of its own. */
async function otherProcess(): Promise<{ take: typeof take }> {
  vi.resetModules();
  return import("@/lib/domain/limits/limits");
}

async function withWebs(ids: readonly string[], body: () => Promise<void>): Promise<void> {
  const row = { kind: "web", pid: 1, host: "here", keys: [], sealsWith: "" };
  for (const id of ids) await writeProcess(db, { id, ...row });
  await body();
  for (const id of ids) await removeProcess(id);
}

test("limits against guessing are exact across three processes, at the same moment", async () => {
  const processes = [await otherProcess(), await otherProcess(), await otherProcess()];
  provideEnv({ RATE_LIMIT_SIGN_IN: "10", RATE_LIMIT_ANONYMOUS: "60" });
  for (const [limit, max] of [
    ["sign_in", 10],
    ["anonymous", 60],
    ["account_address", 10],
    ["account", 100],
    ["second_factor", 10],
  ] as const) {
    const who = someone();
    const calls = processes.flatMap((one) =>
      Array.from({ length: max }, () => one.take(limit, who)),
    );
    const answers = await Promise.all(calls);
    expect([limit, answers.filter(({ allowed }) => allowed).length]).toEqual([limit, max]);
  }
});

test("other limits are within a tenth across three processes, and most calls write nothing", async () => {
  await withWebs(["a", "b", "c"], async () => {
    const processes = [await otherProcess(), await otherProcess(), await otherProcess()];
    for (const one of processes) await one.take("key", someone());
    const who = someone();
    const writes = async () => {
      const { rows } = await db.execute<{ n: number }>(
        sql`select sum(points)::int as n from rate_limits`,
      );
      return rows[0]?.n ?? 0;
    };
    const before = await writes();
    for (let call = 0; call < 33; call++) await processes[call % 3]?.take("key", who);
    expect(await writes()).toBe(before);
    const calls = Array.from({ length: 1_500 }, (_, call) => processes[call % 3]?.take("key", who));
    const answers = await Promise.all(calls);
    const allowed = 33 + answers.filter((answer) => answer?.allowed).length;
    expect(allowed).toBeGreaterThanOrEqual(1_000);
    expect(allowed).toBeLessThanOrEqual(1_100);
  });
});

test("a limit of a caller that spreads calls unevenly is never less than its points", async () => {
  await withWebs(["a", "b"], async () => {
    const [first, second] = [await otherProcess(), await otherProcess()];
    const who = someone();
    let allowed = 0;
    for (let call = 0; call < 700; call++) if ((await first.take("key", who)).allowed) allowed++;
    for (let call = 0; call < 700; call++) if ((await second.take("key", who)).allowed) allowed++;
    expect(allowed).toBeGreaterThanOrEqual(1_000);
    expect(allowed).toBeLessThanOrEqual(1_100);
  });
});
