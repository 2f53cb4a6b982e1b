import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

/** A web or worker process of the drill's install, which is stopped and started again. */
export type Process = {
  start: () => Promise<void>;
  /** Asks it to end in order, and waits until it has. */
  stop: () => Promise<void>;
  kill: () => Promise<void>;
  signal: (name: NodeJS.Signals) => void;
};

/** A built process with these settings. It has started when its metrics are served. */
export function processOf(entry: "server" | "worker", settings: Record<string, string>): Process {
  let child: ChildProcess | undefined;
  const isLive = () =>
    fetch(`http://${settings.METRICS_ADDRESS}/api/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once("exit", resolve));
    running.kill(signal);
    await gone;
  };
  return {
    start: async () => {
      const started = spawn(process.execPath, [`build/${entry}.js`], {
        env: { ...process.env, NODE_ENV: "production", ...settings },
        stdio: ["ignore", "ignore", "inherit"],
      });
      child = started;
      while (!(await isLive())) {
        if (started.exitCode !== null) throw new Error(`${entry} does not start`);
        await pause(100);
      }
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    signal: (name) => void child?.kill(name),
  };
}
