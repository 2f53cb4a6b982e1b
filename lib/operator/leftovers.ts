import { lstatSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { stopCluster } from "@/db/embedded/cluster";
import { halvesOf } from "@/lib/backups/half-file";
import { note } from "./usage";

// Restored copies, and most files that are half written, are not encrypted: none may stay behind, however its command ended.

/** Removes copies in `parent`, with their servers, that commands of an earlier process left. A folder is named by `prefix` and the number of its process. */
export function removeLeftFolders(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    const [, owner] = name.startsWith(prefix)
      ? (/^(\d+)(?:-|$)/.exec(name.slice(prefix.length)) ?? [])
      : [];
    const folder = path.join(parent, name);
    if (owner === undefined || isOther(Number(owner)) || !isOurs(folder, "isDirectory")) continue;
    try {
      stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
      note(`${folder} of a command that was killed is removed`);
    } catch (error) {
      note(`${folder} of a command that was killed is left: ${(error as Error).message}`);
    }
  }
}

/** Removes a copy also where a signal ends this process. Returns how to ignore signals again. */
export function removeOnSignal(remove: () => Promise<void> | void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const end = () =>
    void (async () => remove())()
      .catch((error: Error) => note(error.message))
      .finally(() => process.exit(130));
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** Runs what writes a file by way of a half, which goes also where a signal ends this process. Halves of commands that were killed go first. */
export async function withoutHalves<T>(file: string, body: () => Promise<T>): Promise<T> {
  const remove = () => {
    for (const { half, owner } of halvesOf(file))
      if ((owner === undefined || !isOther(owner)) && isOurs(half, "isFile"))
        rmSync(half, { force: true });
  };
  remove();
  const ignoreSignals = removeOnSignal(remove);
  try {
    return await body();
  } finally {
    ignoreSignals();
  }
}

/** Whether another process with this number runs. At its start this one has made no copy yet. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** In a folder that all users share, names can be made by others. */
function isOurs(place: string, kind: "isDirectory" | "isFile"): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false });
  return found?.[kind]() === true && found.uid === (process.getuid?.() ?? found.uid);
}
