const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The next moment at which a backup is due: every so many hours, counted from a time of day (minutes after midnight UTC). */
export function nextBackup(now: Date, everyHours: number, atMinutes: number): Date {
  const every = everyHours * HOUR_MS;
  const first = atMinutes * MINUTE_MS;
  const passed = Math.floor((now.getTime() - first) / every);
  return new Date(first + (passed + 1) * every);
}
