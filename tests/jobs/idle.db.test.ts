import { sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { run } from "@/lib/jobs/loop";
import { allJobs } from "@/lib/worker/all-jobs";
import { newLink, newShop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import { endpointAt } from "../webhooks/setting";

ownDatabaseEach();

const { query } = pg.Client.prototype;
afterEach(() => {
  pg.Client.prototype.query = query;
});

/** Counts statements, and those that have no answer yet. */
function countStatements() {
  const counted = { sent: 0, open: 0 };
  pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
    counted.sent++;
    counted.open++;
    const last = asked.at(-1);
    if (typeof last === "function") {
      const ended = (...results: unknown[]) => {
        counted.open--;
        Reflect.apply(last, undefined, results);
      };
      return Reflect.apply(query, this, [...asked.slice(0, -1), ended]) as unknown;
    }
    const answer = Reflect.apply(query, this, asked) as Promise<unknown>;
    return answer.finally(() => counted.open--);
  } as typeof query;
  return counted;
}

/** A clock that moves to the next end of a pause once everything waits. */
function clock(counted: { open: number }) {
  let now = 0;
  let pauses: { end: number; resolve: () => void }[] = [];
  const rest = async () => {
    for (let quiet = 0; quiet < 20; quiet = counted.open === 0 ? quiet + 1 : 0)
      await new Promise(setImmediate);
  };
  return {
    now: () => now,
    pause: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) return resolve();
        pauses.push({ end: now + ms, resolve });
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
    /** Runs until this moment, or until something holds. */
    runUntil: async (moment: number, holds: () => boolean = () => false) => {
      for (await rest(); !holds(); await rest()) {
        const next = Math.min(...pauses.map(({ end }) => end));
        if (next > moment) break;
        now = next;
        const over = pauses.filter(({ end }) => end <= now);
        pauses = pauses.filter(({ end }) => end > now);
        for (const { resolve } of over) resolve();
      }
    },
  };
}

test("an idle worker sends at most five statements in two seconds, and what becomes due starts within a second", async () => {
  provideEnv({ WORKER_POLL_MS: "900" });
  const shop = await newShop();
  const { _id } = await newLink(shop);
  const counted = countStatements();
  const time = clock(counted);
  const stop = new AbortController();
  const started: number[] = [];
  const jobs = allJobs.jobs.map((job) =>
    job.name === "expire links" ? { ...job, work: async () => void started.push(time.now()) } : job,
  );
  const running = run({ jobs, tasks: allJobs.tasks }, stop.signal, "idle", time.pause);
  // The first looks of jobs and tasks, and the event of the link.
  await time.runUntil(10_000);
  const [from, before] = [time.now(), counted.sent];
  await time.runUntil(130_000);
  const seconds = (time.now() - from) / 1_000;
  expect(seconds).toBeGreaterThan(100);
  expect((counted.sent - before) / seconds).toBeLessThanOrEqual(2.5);

  await db.execute(
    sql`update payment_links set expires_at = now() - interval '1 hour' where id = ${_id}`,
  );
  const due = time.now();
  await time.runUntil(due + 5_000, () => started.length > 0);
  expect((started[0] ?? Number.POSITIVE_INFINITY) - due).toBeLessThanOrEqual(1_000);
  stop.abort();
  await running;
});

test("what work leads to starts within a second of its cause: an event goes to its webhook", async () => {
  provideEnv({ WORKER_POLL_MS: "900" });
  const shop = await newShop();
  await endpointAt(shop.ctx, "https://shop.example.com/hook");
  const time = clock(countStatements());
  const stop = new AbortController();
  const delivered: number[] = [];
  const jobs = allJobs.jobs.map((job) =>
    job.name === "deliver webhooks"
      ? { ...job, work: async () => void delivered.push(time.now()) }
      : job,
  );
  const running = run({ jobs, tasks: allJobs.tasks }, stop.signal, "chained", time.pause);
  await time.runUntil(10_000);
  await newLink(shop);
  const made = time.now();
  await time.runUntil(made + 5_000, () => delivered.length > 0);
  expect((delivered[0] ?? Number.POSITIVE_INFINITY) - made).toBeLessThanOrEqual(1_000);
  stop.abort();
  await running;
});
