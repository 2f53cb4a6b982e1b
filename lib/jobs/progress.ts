// When this process last finished a piece of each job.
const finishedAt = new Map<string, number>();

/** Notes that a piece of this job was finished: late work of a job that makes progress is a backlog, not a failure. */
export function noteProgress(job: string): void {
  finishedAt.set(job, performance.now());
}

/** Seconds since a piece of each job was finished. */
export const secondsSinceProgress = (): Record<string, number> =>
  Object.fromEntries([...finishedAt].map(([job, at]) => [job, (performance.now() - at) / 1_000]));
