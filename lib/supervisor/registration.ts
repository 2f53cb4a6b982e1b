import { randomUUID } from "node:crypto";
import os from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { readSecretState } from "@/db/active-secret";
import {
  checkWork,
  closeDatabase,
  db,
  type Executor,
  requestWork,
  withTransaction,
} from "@/db/client";
import { placesIn } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { databaseLimits } from "@/db/limits";
import { type ProcessKind, removeProcess, writeProcess } from "@/db/processes";
import { assertRestoreFinished } from "@/db/unfinished-restore";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { activeKey, knownKeys, setActiveKey } from "@/lib/kernel/secrets";
import { adoptSecretOf } from "./secret";
import { followSecretFile, isSecretOf } from "./secret-file";

const LEAVE_LIMIT_MS = 2_000;

/**
 * Registers this process as one that seals, and confirms every few seconds which secret is active. Throws a Refusal when that is one it does
 * not know; once it is, this process ends. Throws a Refusal too while a restore is not noted. Returns how to leave.
 */
export async function registerProcess(
  kind: ProcessKind,
  where: string,
): Promise<() => Promise<void>> {
  const id = randomUUID();
  const secretFile = env.KUTIP_DATA_DIR && placesIn(env.KUTIP_DATA_DIR).secret;
  const followed = secretFile && isSecretOf(secretFile) ? secretFile : undefined;

  const confirm = async (on: Executor, lock?: "share") => {
    const confirmedAt = performance.now();
    if (followed) followSecretFile(followed);
    adoptSecretOf(await readSecretState(on, lock), where, confirmedAt);
    await writeProcess(on, {
      id,
      kind,
      pid: process.pid,
      host: os.hostname(),
      keys: knownKeys().map((key) => key.id),
      sealsWith: activeKey().id,
    });
  };

  // The lock keeps an activation away that would not see this process yet.
  await withTransaction((tx) => confirm(tx, "share"));
  // After the row is there: a restore marks the database, and then looks for processes.
  await assertRestoreFinished().catch(async (error: unknown) => {
    await removeProcess(id);
    throw error;
  });
  let beating: Promise<void> | undefined;
  let isConfirmed = true;
  let isOver = false;
  let retry: NodeJS.Timeout | undefined;
  const beat = () => {
    beating ??= requestWork(() => confirm(db))
      .then(() => {
        isConfirmed = true;
      })
      .catch((error: unknown) => {
        // A process that has left ends in its own way.
        if (isOver) return;
        if (error instanceof Refusal) return end(error);
        if (isConfirmed) log.warn({ err: error }, "the active secret could not be confirmed");
        isConfirmed = false;
        // After a long outage calls are refused until this succeeds.
        clearTimeout(retry);
        retry = setTimeout(beat, databaseLimits().confirmRetryMs).unref();
      })
      .finally(() => {
        beating = undefined;
      });
  };
  const timer = setInterval(beat, databaseLimits().confirmMs).unref();
  const stop = () => {
    isOver = true;
    clearInterval(timer);
    clearTimeout(retry);
  };
  const end = (refusal: Refusal) => {
    stop();
    closeDatabase();
    console.error(`kutip: ${refusal.message}`);
    process.kill(process.pid, "SIGTERM");
  };
  return async () => {
    stop();
    const left = Promise.resolve(beating)
      .then(() => checkWork(() => removeProcess(id)))
      .catch(() => undefined);
    // A database that is away keeps no process from ending: it counts as live for some seconds more.
    await Promise.race([left, pause(LEAVE_LIMIT_MS, undefined, { ref: false })]);
    setActiveKey();
  };
}
