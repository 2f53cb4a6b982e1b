import { randomBytes } from "node:crypto";

const NAME = /^kutip-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z-[\da-f]{8}\.export$/;

/** A name for a backup of that moment (ISO 8601 UTC). Names sort by moment, and no two tries share one. */
export function backupName(moment: string): string {
  const seconds = new Date(moment).toISOString().slice(0, 19).replaceAll(":", "-");
  return `kutip-${seconds}Z-${randomBytes(4).toString("hex")}.export`;
}

/** The moment in a backup's name, ISO 8601 UTC; undefined for any other name. */
export function momentIn(name: string): string | undefined {
  const [, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
  return day === undefined ? undefined : `${day}T${hours}:${minutes}:${seconds}Z`;
}

/** The backups that retention deletes: all but the newest `keep`, and never the one that is known to be good. */
export function expired(names: readonly string[], keep: number, good: string): string[] {
  const backups = names.filter((name) => momentIn(name) !== undefined).sort();
  return backups.slice(0, Math.max(0, backups.length - keep)).filter((name) => name !== good);
}
