import { readFileSync } from "node:fs";

/** State letter, parent and start time of a process as Linux tells them; null for none, and on other systems. */
export function processStat(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return { state: fields[0], parent: Number(fields[1]), startedAt: fields[19] };
  } catch {
    return null;
  }
}
