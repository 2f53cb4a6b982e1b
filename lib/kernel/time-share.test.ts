import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { timeShare } from "./time-share";

const SHARE = 250;

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const lasting = (ms: number) => () => vi.advanceTimersByTimeAsync(ms);

/** How long `pieces` of work of one owner take in all, in milliseconds. */
async function time(share: ReturnType<typeof timeShare>, pieces: number, ms: number) {
  const began = performance.now();
  for (let piece = 0; piece < pieces; piece++) {
    let isDone = false;
    const done = share.run("noisy", lasting(ms)).then(() => (isDone = true));
    while (!isDone) {
      share.note("quiet");
      await vi.advanceTimersByTimeAsync(1);
    }
    await done;
  }
  return performance.now() - began;
}

test("an owner that works all the time is kept to its share while another works too", async () => {
  const share = timeShare(() => SHARE);
  const ms = await time(share, 500, 10);
  // 5 s of work, of which the first half a second of its share is free.
  const paced = ((5_000 - 2 * SHARE) * 1_000) / SHARE;
  expect(ms).toBeGreaterThan(paced * 0.95);
  expect(ms).toBeLessThan(paced * 1.2);
});

test("an owner alone, or with its share switched off, never waits", async () => {
  const alone = timeShare(() => SHARE);
  const began = performance.now();
  for (let piece = 0; piece < 500; piece++) await alone.run("noisy", lasting(10));
  expect(performance.now() - began).toBe(5_000);
  expect(
    await time(
      timeShare(() => 0),
      100,
      10,
    ),
  ).toBeLessThan(1_200);
});

test("an owner below its share runs its pieces side by side", async () => {
  const share = timeShare(() => SHARE);
  share.note("other");
  let running = 0;
  let most = 0;
  const piece = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  };
  await Promise.all(Array.from({ length: 8 }, () => share.run("quiet", piece)));
  expect(most).toBe(8);
});

test("an owner that no longer works stops being a neighbour after ten seconds", async () => {
  const share = timeShare(() => SHARE);
  share.note("quiet");
  await share.run("noisy", lasting(60_000));
  let isDone = false;
  const next = share.run("noisy", () => Promise.resolve()).then(() => (isDone = true));
  await vi.advanceTimersByTimeAsync(0);
  expect(isDone).toBe(true);
  await next;
});

test("too many waiting pieces of one owner are refused, and another owner is not", async () => {
  const share = timeShare(() => SHARE);
  share.note("quiet");
  await share.run("noisy", lasting(9_000));
  const waiting = Array.from({ length: 80 }, () =>
    share.run("noisy", () => Promise.resolve("done")).catch((error: unknown) => error),
  );
  await expect(share.run("quiet", () => Promise.resolve("served"))).resolves.toBe("served");
  for (let second = 0; second < 60; second++) {
    share.note("quiet");
    await vi.advanceTimersByTimeAsync(1_000);
  }
  const refused = (await Promise.all(waiting)).filter((answer) => answer !== "done");
  expect(refused.length).toBeGreaterThanOrEqual(15);
  for (const answer of refused) expect(answer).toMatchObject({ status: 429 });
});

test("a piece whose caller has left gives up its place", async () => {
  const share = timeShare(() => SHARE);
  share.note("quiet");
  await share.run("noisy", lasting(9_000));
  const gone = new AbortController();
  const first = share.run("noisy", () => Promise.resolve("first"));
  const second = share.run(
    "noisy",
    () => Promise.resolve("second"),
    () => gone.signal,
  );
  gone.abort();
  await expect(second).rejects.toMatchObject({ status: 400 });
  for (let second = 0; second < 40; second++) {
    share.note("quiet");
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await expect(first).resolves.toBe("first");
});
