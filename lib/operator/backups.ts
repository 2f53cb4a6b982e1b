import { parseArgs } from "node:util";
import { Refusal } from "@/db/embedded/refusal";
import { hasFutureEvents, readableAfterRestore } from "@/db/events-order";
import { databaseNow } from "@/db/now";
import { hasSettings, noteRestoreOn } from "@/db/settings";
import { copySession } from "@/db/transfer/session";
import { isInUse } from "@/db/transfer/target";
import { unmarkRestore } from "@/db/unfinished-restore";
import { installIn, momentIn } from "@/lib/backups/names";
import { Moment } from "@/lib/contract/fields";
import { createRunner } from "@/lib/jobs/runner";
import { backups as job } from "@/lib/operator/scheduled-backup/job";
import { endWaitForBackup, planBackup, readSchedule } from "@/lib/worker/backup-rows";
import { assertFilled, findBackup, listBackups, requireStore } from "./backup-source";
import { refuseBesideOthers, refuseOfSeveralServers } from "./processes";
import { sinceRestore } from "./since-restore";
import { importParts } from "./transfer";
import { print, UsageError } from "./usage";
import { withInstall } from "./with-install";

/** Lists what is in the store, the newest first, with the install that made it. */
export async function backupList(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: "boolean" } } });
  const { store } = requireStore();
  const backups = (await listBackups(store)).reverse().map(({ name, bytes }) => ({
    name,
    made_at: momentIn(name) ?? "",
    bytes,
    install: installIn(name) ?? null,
  }));
  if (values.json) return print(JSON.stringify(backups, null, 2));
  if (backups.length === 0) print(`There is no backup in ${store.address}.`);
  for (const { name, made_at, bytes, install } of backups)
    print(`${made_at}  ${name}  ${Math.ceil(bytes / 1024)} KiB  install ${install ?? "unknown"}`);
}

/** Makes a backup in this process, under the claim that keeps workers from making the same one. */
export async function backupNow(args: string[]): Promise<void> {
  parseArgs({ args, options: {} });
  const { store } = requireStore();
  await withInstall(async () => {
    if (!(await isInUse()))
      throw new Refusal("there is no business and no account yet, so there is nothing to back up");
    await refuseOfSeveralServers();
    const before = await readSchedule();
    await planBackup(before.now);
    await endWaitForBackup();
    const { poll, drain } = createRunner(job);
    const claimed = await poll("backup:now");
    await drain();
    if (claimed === 0)
      throw new Refusal(
        "another process makes a backup at this moment: see the log and kutip doctor",
      );
    const { schedule } = await readSchedule();
    if (schedule?.problem) throw new Refusal(`the backup failed: ${schedule.problem}`);
    if (schedule?.lastName === before.schedule?.lastName)
      throw new Refusal(
        "no backup was written, as another process has taken it over: see the log and kutip doctor",
      );
    print(
      `${schedule?.lastName} written to ${store.address}, ${Math.ceil((schedule?.lastBytes ?? 0) / 1024)} KiB.`,
    );
  });
}

/** Fills an empty install with a backup. */
export async function backupRestore(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  if (positionals.length > 1) throw new UsageError("one backup at a time");
  const found = await findBackup(positionals[0]);
  await importParts(found.parts, false, (client) => assertFilled(found, client));
}

/**
 * Notes that another tool has put the database back to an earlier moment, so that the worker asks the gateways about what came after it. Events of
 * another server become readable. Work of this install after it was put back hides the moment to search from, which --since then names.
 */
export async function backupRestored(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { since: { type: "string" } } });
  const since = readMoment(values.since);
  await withInstall(async () => {
    if (!(await hasSettings())) {
      await unmarkRestore();
      throw new Refusal("this database holds no install: restore one, or start a new one");
    }
    await refuseBesideOthers(
      "their work hides the moment to search from: name it with --since, as the moment that the database was put back to",
    );
    if (since !== undefined && Date.parse(since) > (await databaseNow()))
      throw new Refusal("the moment of --since is in the future");
    await copySession("", (client) => noteRestoreOn(client, since));
    if (await hasFutureEvents()) await copySession("", readableAfterRestore);
    for (const text of await sinceRestore()) print(text);
  }, "open");
}

/** A moment in UTC, from one with its zone. */
function readMoment(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const { data } = Moment.safeParse(given);
  if (data === undefined)
    throw new UsageError("--since needs a moment with its zone, such as 2026-11-25T10:15:00Z");
  return new Date(data).toISOString();
}
