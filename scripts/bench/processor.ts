import { readdirSync, readFileSync } from "node:fs";

/** The kernel's unit of processor time on Linux. */
const TICK_MS = 10;

type Stat = { pid: number; parent: number; ms: number; endedMs: number };

/** A process's parent, its processor time, and that of its children that ended, in milliseconds. Undefined for no process. */
export function statOf(pid: number | undefined): Stat | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    const [own, ended] = [
      (fields[11] ?? 0) + (fields[12] ?? 0),
      (fields[13] ?? 0) + (fields[14] ?? 0),
    ];
    return {
      pid: Number(pid),
      parent: fields[1] ?? 0,
      ms: own * TICK_MS,
      endedMs: ended * TICK_MS,
    };
  } catch {
    return undefined;
  }
}

/** A process with its children and theirs. */
export function familyOf(pid: number): Stat[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const family = all.filter((one) => one.pid === pid);
  for (const { pid: parent } of family) family.push(...all.filter((one) => one.parent === parent));
  return family;
}

/** The processor time of a process and of all its children, those that ended included. */
export const familyMs = (pid: number): number =>
  familyOf(pid).reduce((sum, { ms, endedMs }) => sum + ms + endedMs, 0);
