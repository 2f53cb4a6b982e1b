import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";

/** What a cluster folder says about its server: none, a living one, or only what a killed one left behind. */
export type Postmaster =
  | { state: "none" }
  | { state: "dead"; socketDir: string }
  | { state: "alive"; pid: number; socketDir: string; ready: boolean };

/** Looks at postmaster.pid and at the process it names. */
export function postmasterOf(cluster: string): Postmaster {
  let lines: string[];
  try {
    lines = readFileSync(path.join(cluster, "postmaster.pid"), "utf8").split("\n");
  } catch {
    return { state: "none" };
  }
  const pid = Number(lines[0]);
  const socketDir = lines[4] ?? "";
  if (!runsHere(pid, cluster)) return { state: "dead", socketDir };
  return { state: "alive", pid, socketDir, ready: lines[7]?.trim() === "ready" };
}

/** How many processes work in the folder: those of a killed postmaster live on for a moment. */
export function processesIn(cluster: string): number {
  if (process.platform !== "linux") return 0;
  const real = realpathSync(cluster);
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readlinkSync(`/proc/${name}/cwd`) === real;
    } catch {
      return false;
    }
  }).length;
}

function runsHere(pid: number, cluster: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (process.platform !== "linux") {
    const ps = spawnSync("ps", ["-ww", "-p", String(pid), "-o", "command="], { encoding: "utf8" });
    return ps.status === 0 && ps.stdout.includes(cluster);
  }
  try {
    // A killed postmaster stays a zombie where process 1 does not reap, and Postgres would take that for alive.
    const state = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "")[0];
    if (state === "Z" || state === "X") return false;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return command.includes(cluster) || command.includes(realpathSync(cluster));
  } catch {
    return false;
  }
}
