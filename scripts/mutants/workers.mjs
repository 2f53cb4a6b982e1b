import { fork } from "node:child_process";
import path from "node:path";
import { root } from "../stamp.mjs";

/** Works through a list with so many workers: `work(item, ask)` may `ask` its worker to run tests, with a limit in milliseconds. */
export async function withWorkers(count, list, work) {
  const queue = [...list];
  const loop = async () => {
    const worker = createWorker();
    try {
      for (let item = queue.shift(); item !== undefined; item = queue.shift())
        await work(item, worker.ask);
    } finally {
      await worker.stop();
    }
  };
  await Promise.all(Array.from({ length: count }, loop));
}

function createWorker() {
  let child;
  const kill = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // Its processes have ended.
    }
    child = undefined;
  };
  const answer = (limitMs) =>
    new Promise((resolve) => {
      const end = (result) => {
        clearTimeout(timer);
        child?.removeAllListeners();
        resolve(result);
      };
      const timer = setTimeout(() => end({ late: true }), limitMs);
      child.once("message", end);
      child.once("exit", () => end({ error: "the worker ended" }));
    });
  const start = async () => {
    child = fork(path.join(root, "scripts/mutants/worker.mjs"), {
      cwd: root,
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const first = await answer(120_000);
    if (!first.ready) throw new Error(`a worker does not start: ${first.error ?? "too late"}`);
  };
  return {
    /** The results of the tests; `late` after the limit, and `error` when nothing could be run. */
    ask: async (request, limitMs) => {
      if (!child) await start();
      child.send(request);
      const result = await answer(limitMs);
      if (result.late || result.error) kill();
      return result;
    },
    stop: async () => {
      if (!child) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      const timer = setTimeout(kill, 30_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
