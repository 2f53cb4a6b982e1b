import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import path from "node:path";

const EVERY_MS = 100;
const BLOCK = Buffer.alloc(64 * 1024, 1);
const LAST = Buffer.alloc(512, 1);

/** A small disk in memory. Its mount ends with the drill's namespace. */
export function mountDisk(folder: string, megabytes: number): void {
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync(
    "mount",
    ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "none", folder],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`no disk: ${stderr}`);
}

/** Takes all room of the disk that has this folder, also what becomes free later. Returns how to give it back. */
export function fillDisk(folder: string): () => void {
  const file = path.join(folder, "ballast");
  const handle = openSync(file, "a");
  const fill = () => {
    for (const part of [BLOCK, LAST])
      try {
        for (;;) writeSync(handle, part);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
  };
  fill();
  const timer = setInterval(fill, EVERY_MS);
  return () => {
    clearInterval(timer);
    closeSync(handle);
    rmSync(file, { force: true });
  };
}

export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};
