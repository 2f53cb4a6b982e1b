import { log } from "@/lib/kernel/log";
import { type Overdue, unscopedIsDueMoreThan, unscopedOverdue } from "./backlog-rows";
import type { Job } from "./define";
import type { Progress } from "./progress";
import { unscopedProgress } from "./workers-rows";

/** A job that finished a piece within this time moves; longer than the longest call to a gateway. */
const MOVING_SECONDS = 120;
/** A backlog that moves is late when the current rate does not finish it within this time. */
const BACKLOG_SECONDS = 3_600;
/** At a higher rate than one that finishes so many rows in that time, nothing is counted. */
const MAX_COUNTED_ROWS = 50_000;
/** Of a hundred businesses, one may be stuck or slow while the install is healthy. */
const MAX_STUCK_SHARE = 0.01;
/** How many stuck tenants of a job are named in the log. */
const MAX_LOGGED = 20;

export type JobHealth = Progress & {
  name: string;
  /** For how long the oldest row is overdue; 0 when none is. */
  overdueSeconds: number;
  /** Tenants with overdue work that was tried, and failed or hangs. */
  stuck: Overdue[];
  late: boolean;
};
export type WorkHealth = {
  /** Since any worker was seen; null: never. */
  seenSecondsAgo: number | null;
  jobs: JobHealth[];
};

/**
 * How each job does. A job that finishes nothing is late when it has overdue work that no worker has tried, or when more tenants are stuck than a
 * few. A job that moves is late when more tenants than a few have overdue work, and the current rate does not finish the backlog within the hour.
 * Of the install's own jobs none may be stuck, and a try that goes on is overdue too. `businesses`: how many the install has.
 */
export async function unscopedWorkHealth(
  jobs: readonly Job[],
  businesses: number,
): Promise<WorkHealth> {
  const { seenSecondsAgo, jobs: progress } = await unscopedProgress();
  const fewBusinesses = businesses > 1 ? Math.max(1, Math.floor(businesses * MAX_STUCK_SHARE)) : 0;
  const healths: JobHealth[] = [];
  for (const { name, due, lateAfterSeconds, ofInstall } of jobs) {
    const mayBeStuck = ofInstall ? 0 : fewBusinesses;
    const { secondsAgo, perSecond } = progress[name] ?? {
      secondsAgo: Number.POSITIVE_INFINITY,
      perSecond: 0,
    };
    const overdue =
      lateAfterSeconds === null ? [] : await unscopedOverdue(due, lateAfterSeconds, ofInstall);
    const stuck = overdue.filter(({ tried }) => tried);
    const isMoving = secondsAgo < MOVING_SECONDS;
    const late = isMoving
      ? overdue.length > mayBeStuck &&
        overdue.length > stuck.length &&
        !(await isFinishedSoon(due, perSecond))
      : overdue.length > stuck.length || stuck.length > mayBeStuck;
    const overdueSeconds = Math.max(0, ...overdue.map(({ seconds }) => seconds));
    healths.push({ name, secondsAgo, perSecond, overdueSeconds, stuck, late });
  }
  return { seenSecondsAgo, jobs: healths };
}

async function isFinishedSoon(due: Job["due"], perSecond: number): Promise<boolean> {
  const rows = perSecond * BACKLOG_SECONDS;
  return rows > MAX_COUNTED_ROWS || !(await unscopedIsDueMoreThan(due, rows));
}

let reported = "";

/** Logs which jobs are late and which tenants are stuck, each time that changes. */
export function reportWork({ jobs }: WorkHealth): void {
  const late = jobs.filter((job) => job.late).map(({ name }) => name);
  const stuck = Object.fromEntries(
    jobs
      .filter((job) => job.stuck.length > 0)
      .map((job) => [job.name, job.stuck.slice(0, MAX_LOGGED).map(({ tenant }) => tenant)]),
  );
  const now = JSON.stringify([late, stuck]);
  if (now === reported) return;
  reported = now;
  if (late.length > 0) log.warn({ late, stuck }, "background work is late");
  else if (Object.keys(stuck).length > 0)
    log.warn({ stuck }, "background work of some tenants is stuck");
  else log.info("background work is in time");
}
