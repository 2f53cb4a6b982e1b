import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** A web or worker process of the drill's install, which is stopped and started again. */
export type Process = {
  start: () => Promise<void>;
  /** Asks it to end in order, and waits until it has. */
  stop: () => Promise<void>;
  kill: () => Promise<void>;
  signal: (name: NodeJS.Signals) => void;
  /** Its process id while it runs as it was started. */
  pid: () => number | undefined;
};

/**
 * A built process with these settings. It has started when its metrics are served. `enter` is put before the command, such as
 * `ip netns exec web`; its output goes to the file `log`.
 */
export function processOf(
  entry: "server" | "worker",
  settings: Record<string, string>,
  { enter = [], log }: { enter?: readonly string[]; log?: string } = {},
): Process {
  let child: ChildProcess | undefined;
  const isLive = () =>
    fetch(`http://${settings.METRICS_ADDRESS}/api/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    if (running) await endChild(running, signal);
  };
  return {
    start: async () => {
      const file = log === undefined ? undefined : openSync(log, "a");
      const [program = "", ...args] = [...enter, process.execPath, `build/${entry}.js`];
      const started = spawn(program, args, {
        env: { ...process.env, NODE_ENV: "production", ...settings },
        stdio: file === undefined ? ["ignore", "ignore", "inherit"] : ["ignore", file, file],
      });
      if (file !== undefined) closeSync(file);
      child = started;
      while (!(await isLive())) {
        if (started.exitCode !== null) throw new Error(`${entry} does not start`);
        await pause(100);
      }
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    signal: (name) => void child?.kill(name),
    pid: () => (child?.exitCode === null && child.signalCode === null ? child.pid : undefined),
  };
}

/** Ends a program that the drill has started, and waits until it has ended. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
}
