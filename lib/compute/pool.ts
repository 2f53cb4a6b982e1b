import { availableParallelism } from "node:os";
import path from "node:path";
import { Piscina } from "piscina";
import { projectRoot } from "@/db/embedded/project";
import { fairQueue } from "@/lib/kernel/fair-queue";
import { log } from "@/lib/kernel/log";
import { overloaded } from "@/lib/kernel/problem";
import { kindOf, type Tasks } from "./tasks";

type Options = {
  entry: string;
  threads: number;
  /** A thread is terminated when its task takes longer. */
  taskMs: number;
  /** JavaScript memory of one thread; one that needs more ends. */
  heapMb: number;
};

const RETRY_SECONDS = 30;
// The first receipt of a thread loads the PDF library, which takes seconds on a busy machine.
const IDLE_MS = 600_000;

export type ComputePool = {
  run: (name: string, input: unknown) => Promise<unknown>;
  close: () => Promise<void>;
};

/**
 * Threads that get plain data and no settings: their environment names no database and no secret. Throws 429 where a task needs more
 * time or memory than it may have; the thread is then replaced.
 */
export function computePool({ entry, threads, taskMs, heapMb }: Options): ComputePool {
  const pool = new Piscina({
    filename: entry,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    env: { NODE_ENV: "production" },
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    recordTiming: false,
  });
  // Without a listener, a thread that dies between two tasks would end the process.
  pool.on("error", (error) => log.error({ err: error }, "a compute thread died"));
  return {
    run: async (name, input) => {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), taskMs);
      try {
        return await pool.run(input, { name, signal: limit.signal });
      } catch (error) {
        if (!limit.signal.aborted && !isOutOfMemory(error)) throw error;
        log.error({ err: error, task: name }, "a task exceeded its limits");
        throw overloaded(RETRY_SECONDS, error);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => pool.destroy(),
  };
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";

// One thread is left to other businesses while one has work under way.
const THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
const queue = fairQueue({
  running: THREADS,
  runningPerOwner: THREADS - 1,
  waitingPerKind: 6,
  waiting: 256,
  waitMs: 30_000,
});
let pool: ComputePool | undefined;

/** For whom a task runs; `disconnected` aborts when the caller goes away, which frees its place. */
type Caller = { readonly businessId: number; readonly disconnected?: () => AbortSignal };

/** Runs a task in a thread when the business's turn comes. Throws 429 when its queue is full or the task exceeds its limits. */
export async function compute<Name extends keyof Tasks>(
  caller: Caller,
  name: Name,
  input: Parameters<Tasks[Name]>[0],
): Promise<Awaited<ReturnType<Tasks[Name]>>> {
  pool ??= computePool({
    entry: path.join(projectRoot, "build/compute/compute.js"),
    threads: THREADS,
    taskMs: 30_000,
    heapMb: 192,
  });
  const { run } = pool;
  const result = await queue.run(
    caller.businessId,
    kindOf[name],
    () => run(name, input),
    caller.disconnected?.(),
  );
  return result as Awaited<ReturnType<Tasks[Name]>>;
}
