/** "2026-11-20 13:34:45.423258+00" (Postgres, session in UTC) or "…T…+00:00" (JSON) to "2026-11-20T13:34:45.423258Z". */
export function isoMicros(text: string): string {
  if (!/(\+00(:?00)?|Z)$/.test(text))
    throw new Error("a timestamp that is not in UTC: the database session must run in UTC");
  const fraction = /\.(\d{1,6})/.exec(text)?.[1] ?? "";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, "0")}Z`;
}

/** A Date as an ISO string with six digits, UTC. */
export function isoOf(date: Date): string {
  return `${date.toISOString().slice(0, -1)}000Z`;
}

/** Microseconds since 1970 as an ISO string with six digits, UTC. */
export function isoOfMicros(micros: number): string {
  const [ms, rest] = [Math.floor(micros / 1_000), micros % 1_000];
  return `${new Date(ms).toISOString().slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}

let second = 0;
let stamp = "";

/** The envelope's `meta.timestamp`, `YYYY-MM-DD HH:MM:SS UTC`; made once a second, since every answer carries one. */
export function metaTimestamp(now: number = Date.now()): string {
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    stamp = `${new Date(current * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  }
  return stamp;
}
