/** How far back the rate of a job is measured. */
const WINDOW_SECONDS = 120;
const BUCKET_SECONDS = 5;

/** How long ago a piece of a job was finished without an error, and how many rows a second were, of late. */
export type Progress = { secondsAgo: number; perSecond: number };

// What this process has finished of each job: rows by the number of their time bucket.
const finished = new Map<string, { at: number; buckets: Map<number, number> }>();

const nowSeconds = () => performance.now() / 1_000;

/** Notes that rows of this job were finished. */
export function noteProgress(job: string, rows: number): void {
  const now = nowSeconds();
  const { buckets } = finished.get(job) ?? { buckets: new Map<number, number>() };
  const bucket = Math.floor(now / BUCKET_SECONDS);
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + rows);
  for (const old of buckets.keys())
    if (old <= bucket - WINDOW_SECONDS / BUCKET_SECONDS) buckets.delete(old);
  finished.set(job, { at: now, buckets });
}

/** The progress of each job of which this process has finished a piece. */
export function progressOfJobs(): Record<string, Progress> {
  const now = nowSeconds();
  const first = (now - WINDOW_SECONDS) / BUCKET_SECONDS;
  return Object.fromEntries(
    [...finished].map(([job, { at, buckets }]) => {
      const rows = [...buckets].reduce(
        (sum, [bucket, count]) => sum + (bucket > first ? count : 0),
        0,
      );
      return [
        job,
        { secondsAgo: now - at, perSecond: rows / Math.max(1, Math.min(WINDOW_SECONDS, now)) },
      ];
    }),
  );
}
