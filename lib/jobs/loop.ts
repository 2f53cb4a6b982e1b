import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { log } from "@/lib/kernel/log";
import type { Job, Task } from "./define";
import { progressOfJobs } from "./progress";
import { createRunner } from "./runner";
import { unscopedBeat, unscopedLeave } from "./workers-rows";

const BEAT_MS = 3_000;
/** After a failure, so that recovery is quick. */
const MAX_PAUSE_MS = 2_000;

type Repeated = { name: string; everyMs: number; run: (requestId: string) => Promise<number> };

/** Runs every job and task in a loop of its own until `signal` aborts, then finishes what is under way. `worker` names its heartbeat. */
export async function run(
  { jobs, tasks }: { jobs: readonly Job[]; tasks: readonly Task[] },
  signal: AbortSignal,
  worker: string = randomUUID(),
): Promise<void> {
  const beat = async () => {
    await unscopedBeat(worker, process.pid, progressOfJobs());
    return 0;
  };
  // Claims that name a worker without a heartbeat would be free.
  await beat().catch(() => undefined);
  // The heartbeat goes on while the last work is finished.
  const finished = new AbortController();
  const beating = repeat(
    { name: "write the heartbeat", everyMs: BEAT_MS, run: beat },
    finished.signal,
  );
  const runners = jobs.map((job) => ({ job, runner: createRunner(job, { worker }) }));
  await Promise.all([
    ...tasks.map((task) => repeat(task, signal)),
    ...runners.map(({ job: { name, everyMs }, runner }) =>
      repeat({ name, everyMs, run: runner.poll }, signal),
    ),
  ]);
  await Promise.all(runners.map(({ runner }) => runner.stop()));
  finished.abort();
  await beating;
  for (const { close } of jobs) close?.();
  await unscopedLeave(worker).catch(() => undefined);
}

async function repeat({ name, everyMs, run }: Repeated, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let done = 0;
    try {
      done = await run(randomUUID());
      failures = 0;
    } catch (error) {
      failures++;
      log.error({ err: error, job: name, failures }, "a job failed; it will be tried again");
    }
    const wait =
      failures > 0 ? Math.min(MAX_PAUSE_MS, 250 * 2 ** failures) : done > 0 ? 0 : everyMs;
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}
