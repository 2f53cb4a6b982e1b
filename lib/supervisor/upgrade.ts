import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { longWork } from "@/db/client";
import type { Places } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { copyMoment, currentCopy, noteCopy, workerSeen } from "@/db/upgrade";
import { version } from "@/lib/kernel/version";

const WORKER_SILENT_SECONDS = 20;
const POLL_MS = 1_000;
const MARGIN_MIB = 256;
const MIB = 2 ** 20;

/** Writes a backup of a data folder to a file. */
type BackUp = (places: Places, file: string) => Promise<unknown>;

/** What to do with a database that lacks migrations: refuse it, leave it as it is, or upgrade it. By a function it is backed up before an upgrade that cannot be undone. */
export type OlderDatabase = "refuse" | "keep" | "upgrade" | BackUp;

const freeBytesIn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** Makes an upgrade safe after which older versions cannot write. Throws a Refusal while it is not. */
export async function prepareUpgrade(
  install: { places: Places; embedded: boolean },
  how: "upgrade" | BackUp,
  freeBytes = freeBytesIn,
): Promise<void> {
  // The lock on the data folder has proven this of an embedded database.
  if (!install.embedded) await assertNoWorker();
  if (how === "upgrade") return;
  await longWork(async () => {
    const copy = await currentCopy();
    if (copy && (copy.file === undefined || existsSync(copy.file))) return;
    if (!install.embedded)
      throw new Refusal(
        `the upgrade to ${version} cannot be undone: stop all processes of Kutip, run npm run -s kutip -- export FILE, then this command again. Or add --backup-taken if you have made a backup of your own`,
      );
    await backUpNow(install.places, how, freeBytes);
  });
}

async function assertNoWorker(): Promise<void> {
  const first = await workerSeen();
  for (let seen = first; seen && seen.secondsAgo < WORKER_SILENT_SECONDS; ) {
    await pause(POLL_MS);
    const now = await workerSeen();
    if (now && first && now.at > first.at)
      throw new Refusal(
        `a worker of an older version is running on this database: stop all processes of Kutip, then upgrade to ${version}`,
      );
    seen = now;
  }
}

async function backUpNow(
  places: Places,
  backUp: BackUp,
  freeBytes: typeof freeBytesIn,
): Promise<void> {
  const folder = path.join(places.folder, "backups");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder))
    if (name.endsWith(".part")) rmSync(path.join(folder, name));
  assertRoom(places, freeBytes(places.folder));
  const moment = await copyMoment();
  const at = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const file = path.join(folder, `before-${version}-${at}.tar.gz`);
  console.log(`kutip: upgrading to ${version}, writing a backup of the data folder to ${file}`);
  await backUp(places, file);
  await noteCopy({ ...moment, file });
}

/** The backup may be as large as the database, and the migrations may write each table anew. */
function assertRoom({ folder, cluster }: Places, freeBytes: number): void {
  const sizes = readdirSync(cluster, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(path.join(entry.parentPath, entry.name)).size);
  const neededMib = Math.ceil((2 * sizes.reduce((sum, size) => sum + size, 0)) / MIB) + MARGIN_MIB;
  const freeMib = Math.floor(freeBytes / MIB);
  if (freeMib < neededMib)
    throw new Refusal(
      `the upgrade to ${version} first writes a backup and needs ${neededMib} MiB in ${folder}, where ${freeMib} MiB are free. Make room, or add --backup-taken if you have made a backup of your own`,
    );
}
