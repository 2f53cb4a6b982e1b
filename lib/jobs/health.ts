import { unscopedLateSeconds } from "./claim-rows";
import type { Job } from "./define";
import { unscopedProgress } from "./workers-rows";

/** A job that finished a piece within this time makes progress; longer than the longest call to a gateway. */
const PROGRESS_SECONDS = 120;

export type WorkHealth = {
  /** Since any worker was seen; null: never. */
  seenSecondsAgo: number | null;
  /** The jobs that are late. */
  late: string[];
};

/**
 * Which jobs are late: their oldest due row waits for longer than the job allows, and no worker makes progress with it. A large backlog
 * that moves is not late, nor is one business whose gateway hangs while others are served.
 */
export async function unscopedWorkHealth(jobs: readonly Job[]): Promise<WorkHealth> {
  const { seenSecondsAgo, finishedSecondsAgo } = await unscopedProgress();
  const late: string[] = [];
  for (const { name, due, lateAfterSeconds } of jobs) {
    if (lateAfterSeconds === null) continue;
    if ((finishedSecondsAgo[name] ?? Number.POSITIVE_INFINITY) < PROGRESS_SECONDS) continue;
    if ((await unscopedLateSeconds(due)) > lateAfterSeconds) late.push(name);
  }
  return { seenSecondsAgo, late };
}
