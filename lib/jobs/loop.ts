import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { counter } from "@/lib/kernel/metrics";
import type { Job, Task } from "./define";
import { createLook, type Pause } from "./look";
import { progressOfJobs } from "./progress";
import { createRunner } from "./runner";
import { unscopedBeat, unscopedLeave } from "./workers-rows";

const BEAT_MS = 3_000;
/** After a failure, so that recovery is quick. */
const MAX_PAUSE_MS = 2_000;

const loopFailures = counter(
  "kutip_job_loop_failures_total",
  "Rounds of a job or task that failed as a whole, often since the database is away.",
  ["kind"],
);

/** What is repeated: `idle` waits after a run that did nothing. */
type Repeated = {
  name: string;
  run: (requestId: string) => Promise<number>;
  idle: () => Promise<void>;
};

/** Runs every job and task in a loop of its own until `signal` aborts, then finishes what is under way. `worker` names its heartbeat. `pause` waits so many milliseconds, or until the signal. */
export async function run(
  { jobs, tasks }: { jobs: readonly Job[]; tasks: readonly Task[] },
  signal: AbortSignal,
  worker: string = randomUUID(),
  pause: (ms: number, signal: AbortSignal) => Promise<void> = pauseFor,
): Promise<void> {
  const beat = async () => {
    await unscopedBeat(worker, process.pid, progressOfJobs());
    return 0;
  };
  // Claims that name a worker without a heartbeat would be free.
  await beat().catch(() => undefined);
  // The heartbeat goes on while the last work is finished.
  const finished = new AbortController();
  const pauseUntil =
    (end: AbortSignal): Pause =>
    (ms) =>
      pause(ms, end);
  const beating = repeat(
    { name: "write the heartbeat", run: beat, idle: () => pause(BEAT_MS, finished.signal) },
    finished.signal,
    pauseUntil(finished.signal),
  );
  const runners = jobs.map((job) => ({ job, runner: createRunner(job, { worker }) }));
  const look = createLook(jobs, env.WORKER_POLL_MS, pauseUntil(signal));
  await Promise.all([
    look.go(signal),
    ...tasks.map(({ everyMs, ...task }) =>
      repeat({ ...task, idle: () => pause(everyMs, signal) }, signal, pauseUntil(signal)),
    ),
    ...runners.map(({ job, runner }) => {
      let worked = false;
      const poll = async (requestId: string) => {
        const done = await runner.poll(requestId);
        worked ||= done > 0;
        return done;
      };
      const idle = () => {
        const due = look.due(job, worked);
        worked = false;
        return due;
      };
      return repeat({ name: job.name, run: poll, idle }, signal, pauseUntil(signal));
    }),
  ]);
  await Promise.all(runners.map(({ runner }) => runner.stop()));
  finished.abort();
  await beating;
  for (const { close } of jobs) close?.();
  await unscopedLeave(worker).catch(() => undefined);
}

const pauseFor = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

async function repeat(
  { name, run, idle }: Repeated,
  signal: AbortSignal,
  pause: Pause,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let done = 0;
    try {
      done = await run(randomUUID());
      failures = 0;
    } catch (error) {
      failures++;
      loopFailures.inc({ kind: name });
      log.error({ err: error, job: name, failures }, "a job failed; it will be tried again");
    }
    if (failures > 0) await pause(Math.min(MAX_PAUSE_MS, 250 * 2 ** failures));
    else if (done === 0 && !signal.aborted) await idle();
  }
}
