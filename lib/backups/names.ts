import { randomBytes } from "node:crypto";

const NAME = /^kutip-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z-[\da-f]{8}(?:-([\da-f]{8}))?\.export$/;

/** A name for a backup of that moment (ISO 8601 UTC) by this install. Names sort by moment, and no two tries share one. */
export function backupName(moment: string, install: string): string {
  const seconds = new Date(moment).toISOString().slice(0, 19).replaceAll(":", "-");
  return `kutip-${seconds}Z-${randomBytes(4).toString("hex")}-${install}.export`;
}

/** The moment in a backup's name, ISO 8601 UTC; undefined for any other name. */
export function momentIn(name: string): string | undefined {
  const [, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
  return day === undefined ? undefined : `${day}T${hours}:${minutes}:${seconds}Z`;
}

/** The id of the install that made a backup; undefined where an older version did, which wrote none. */
export const installIn = (name: string): string | undefined => NAME.exec(name)?.[5];

/**
 * Which backups are of this install, in a store with these names. Those without an id count while no other install has one there: older versions
 * of this install made them.
 */
export function ownIn(names: readonly string[], install: string): (name: string) => boolean {
  const isShared = names.some((name) => (installIn(name) ?? install) !== install);
  return (name) =>
    momentIn(name) !== undefined &&
    (isShared ? installIn(name) : (installIn(name) ?? install)) === install;
}

/** The backups of this install that retention deletes: all but the newest `keep`, and never the one that is known to be good. */
export function expired(
  names: readonly string[],
  keep: number,
  good: string,
  install: string,
): string[] {
  // Of several of one second the one that was just made is the newest.
  const place = (name: string) => `${momentIn(name)} ${name === good ? 1 : 0} ${name}`;
  const backups = names
    .filter(ownIn(names, install))
    .sort((a, b) => (place(a) < place(b) ? -1 : 1));
  return backups.slice(0, Math.max(0, backups.length - keep)).filter((name) => name !== good);
}
