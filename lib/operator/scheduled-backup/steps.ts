import { isDistributed } from "@/db/distributed";
import { chosenFolder, placesIn } from "@/db/embedded/folder";
import { installId } from "@/db/settings";
import { dump } from "@/db/transfer/dump";
import { isInUse } from "@/db/transfer/target";
import { copyMoment, noteCopy } from "@/db/upgrade";
import { exportBytes } from "@/lib/backups/export-file";
import { backupName, expired, ownIn } from "@/lib/backups/names";
import { backupStore } from "@/lib/backups/configured-store";
import type { Store } from "@/lib/backups/store";
import { env } from "@/lib/env";
import { ClaimLost } from "@/lib/jobs/claim-rows";
import { errorForLog } from "@/lib/kernel/error-text";
import { log } from "@/lib/kernel/log";
import { confirmSecretOfCopy, secretOfCopy } from "@/lib/supervisor/secret";
import { isSecretOf } from "@/lib/supervisor/secret-file";
import {
  beginBackup,
  type Claimed,
  completeBackup,
  endSchedule,
  extendClaim,
  failBackup,
  planBackup,
  readSchedule,
} from "@/lib/worker/backup-rows";
import { nextBackup } from "./schedule";

export const LEASE_SECONDS = 60;
const EXTEND_EVERY_MS = 15_000;

class Stopping extends Error {}

/**
 * Sets the time of the next backup where backups are set up: the first one is due once there is a business or an account. A new install may be
 * about to be restored, and a backup of its emptiness would be the newest one. A copy of several servers would not be of one moment. Returns 0.
 */
export async function plan(): Promise<number> {
  if (!backupStore() || !(await isCopied())) return 0;
  const { schedule, now } = await readSchedule();
  await planBackup(schedule?.lastAt ? nextAfter(now) : now);
  return 0;
}

const isCopied = async () => (await isInUse()) && !(await isDistributed());

const nextAfter = (now: Date) => nextBackup(now, env.BACKUP_EVERY_HOURS, env.BACKUP_AT);

/** Writes one backup to the store, notes it, and deletes those that retention no longer keeps. */
export async function backUp(
  claimed: Claimed,
  { requestId, stopping }: { requestId: string; stopping: AbortSignal },
): Promise<void> {
  const target = backupStore();
  if (!target || !(await isCopied())) return endSchedule();
  const { store, passphrase } = target;
  let name: string | undefined;
  // By time, not while data flows: a store that stalls would lose the claim, and the next worker sweeps its upload away.
  const extending = setInterval(
    () => void extendClaim(claimed, LEASE_SECONDS).catch(() => undefined),
    EXTEND_EVERY_MS,
  ).unref();
  try {
    await beginBackup(claimed);
    const install = await installId();
    await sweep(store, install, requestId);
    const copied = await secretOfCopy();
    const secret = isSecretOf(placesIn(chosenFolder()).secret) ? copied : undefined;
    const moment = await copyMoment();
    name = backupName(moment.made_at, install);
    const file = name;
    let bytes = 0;
    const { rows } = await dump(async (parts) => {
      await confirmSecretOfCopy(copied);
      const source = untilStopped(exportBytes(parts, passphrase), stopping);
      bytes = await store.write(file, source);
    }, secret);
    const { now } = await readSchedule();
    await completeBackup(claimed, {
      name: file,
      bytes,
      moment: moment.made_at,
      nextAt: nextAfter(now),
    });
    await noteCopy(moment);
    log.info({ request_id: requestId, backup: file, bytes, rows }, "backup written");
    await retain(store, { good: file, install }, requestId);
  } catch (error) {
    if (error instanceof Stopping) return;
    // Whole, but written by a worker that had lost its claim: another one is being made.
    if (error instanceof ClaimLost && name) await store.remove(name).catch(() => undefined);
    else await failBackup(claimed, errorForLog(error).message).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(extending);
  }
}

/** The bytes of a source; a worker that stops ends them. */
async function* untilStopped(
  source: AsyncIterable<Buffer>,
  stopping: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const data of source) {
    if (stopping.aborted) throw new Stopping("the worker stops");
    yield data;
  }
}

const namesIn = async (store: Store) => (await store.list()).map(({ name }) => name);

/** Removes what killed workers have left. Many keys of a bucket may not list uploads: a store that refuses fails nothing. */
async function sweep(store: Store, install: string, requestId: string): Promise<void> {
  try {
    await store.sweep(ownIn(await namesIn(store), install));
  } catch (error) {
    log.error({ request_id: requestId, err: error }, "half backups could not be removed");
  }
}

/** Deletes what is too many. The backup is made: a store that does not delete fails nothing. */
async function retain(
  store: Store,
  { good, install }: { good: string; install: string },
  requestId: string,
): Promise<void> {
  try {
    for (const old of expired(await namesIn(store), env.BACKUP_KEEP, good, install)) {
      await store.remove(old);
      log.info({ request_id: requestId, backup: old }, "backup deleted: newer ones are kept");
    }
  } catch (error) {
    log.error({ request_id: requestId, err: error }, "old backups could not be deleted");
  }
}
