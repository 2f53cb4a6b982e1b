import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { noteProgress, secondsSinceProgress } from "@/lib/domain/progress";
import { log } from "@/lib/kernel/log";
import { createMailTransport } from "@/lib/mail/transport";
import { env } from "@/lib/env";
import { type Job, jobs } from "./jobs";
import { unscopedBeat, unscopedLeave } from "./rows";

const beatMs = 3_000;

/** Runs every job in its own loop until `signal` aborts, then finishes what has begun. */
export async function work(signal: AbortSignal): Promise<void> {
  const id = randomUUID();
  const transport = createMailTransport(env.SMTP_URL ?? null);
  const beat: Job = {
    name: "show that it works",
    everyMs: beatMs,
    run: () => unscopedBeat(id, process.pid, secondsSinceProgress()),
  };
  const all = [beat, ...jobs(transport)];
  await Promise.all(all.map((job) => repeat(job, signal)));
  await Promise.all(all.map((job) => job.rest?.()));
  transport.close();
  await unscopedLeave(id).catch(() => undefined);
}

async function repeat(job: Job, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let done = 0;
    try {
      done = await job.run(randomUUID());
      failures = 0;
      if (done > 0 && job.kind) noteProgress(job.kind);
    } catch (error) {
      failures++;
      log.error({ err: error, job: job.name, failures }, "a job failed; it will be tried again");
    }
    // A full batch means there may be more; trouble means waiting longer, 2 s at most so that recovery is quick.
    const wait = failures > 0 ? Math.min(2_000, 250 * 2 ** failures) : done > 0 ? 0 : job.everyMs;
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}
