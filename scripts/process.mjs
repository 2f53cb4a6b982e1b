import { readdirSync, readFileSync, statSync } from "node:fs";

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

/** The number of a web process or worker in production that runs from this folder, if there is one. Linux tells; other systems do not. */
export function serverIn(folder) {
  const { dev, ino } = statSync(folder);
  const isServer = (pid) => {
    try {
      const at = statSync(`/proc/${pid}/cwd`);
      if (at.ino !== ino || at.dev !== dev) return false;
      return (
        /[\0/]build\/(server|worker)\.js\0/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8")) &&
        `\0${readFileSync(`/proc/${pid}/environ`, "utf8")}`.includes("\0NODE_ENV=production\0")
      );
    } catch {
      return false;
    }
  };
  try {
    return readdirSync("/proc").find((name) => /^\d+$/.test(name) && isServer(name));
  } catch {
    return undefined;
  }
}
