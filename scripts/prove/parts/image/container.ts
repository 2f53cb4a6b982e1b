import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { IMAGE } from "./build";
import type { Engine, Settings } from "./engine";
import { runWords } from "./engine";

/** A container of the image; `mount` is its root file system. */
export type Container = {
  name: string;
  mount: string;
  /** Runs one command of the image to its end; returns its output. */
  run: (...command: string[]) => Promise<string>;
  /** Starts a process of the image. */
  start: (...command: string[]) => Running;
};
/** A process of a container: its Node process gets the signals, as it would as the first process of a container. */
export type Running = {
  pid: () => number;
  ended: Promise<number>;
  kill: (signal: NodeJS.Signals) => void;
};

/** Makes a container of the image with these settings. */
export async function makeContainer(
  engine: Engine,
  name: string,
  settings: Settings,
): Promise<Container> {
  await engine.call("from", "--name", name, IMAGE);
  return {
    name,
    mount: (await engine.call("mount", name)).trim(),
    run: (...command) => engine.call(...runWords(name, settings, command)),
    start: (...command) => watch(engine.start(name, settings, ...command)),
  };
}

function watch(child: ChildProcess): Running {
  const ended = new Promise<number>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? (signal ? 128 : 1))),
  );
  const pid = () => nodeBelow(child.pid ?? 0) ?? 0;
  return {
    pid,
    ended,
    kill: (signal) => {
      const found = pid();
      if (found) process.kill(found, signal);
    },
  };
}

/** The Node process that a process has started, at any depth. */
function nodeBelow(ancestor: number): number | undefined {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const below = (pid: number): number | undefined => {
    for (const child of children.get(pid) ?? [])
      if (child.command[0]?.endsWith("node")) return child.pid;
      else {
        const found = below(child.pid);
        if (found) return found;
      }
    return undefined;
  };
  return below(ancestor);
}

function processes(): { pid: number; parent: number; command: string[] }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /s, "");
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
        return [{ pid: Number(name), parent: Number(stat.split(" ")[1]), command }];
      } catch {
        return [];
      }
    });
}

/** Asks until the address answers with this status; returns the seconds that took. */
export async function untilStatus(url: string, status: number, limitSeconds = 60): Promise<number> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  for (;;) {
    const found = await statusOf(url);
    if (found === status) return seconds();
    if (seconds() > limitSeconds)
      throw new Error(`${url} answers ${found} instead of ${status} for ${limitSeconds} s`);
    await pause(20);
  }
}

/** The status that an address answers with; 0 for no answer. */
export async function statusOf(url: string): Promise<number> {
  try {
    const answer = await fetch(url, { redirect: "manual" });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
