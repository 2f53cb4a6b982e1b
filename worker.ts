import { closePool } from "@/db/client";
import { log } from "@/lib/kernel/log";
import { startTracing } from "@/lib/kernel/tracing";
import {
  joinInstall,
  refuse,
  refuseArguments,
  requireSettings,
  stayUntilExit,
} from "@/lib/supervisor/entry";
import { serveMetrics } from "@/lib/http/metrics-server";
import { run } from "@/lib/jobs/loop";
import { allJobs } from "@/lib/worker/all-jobs";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
  process.on(signal, () => {
    stayUntilExit();
    stop.abort();
  });
for (const kind of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(kind, (error: unknown) => {
    // State is unknown from here on; leases end by themselves and the supervisor starts a new worker.
    log.fatal({ err: error }, kind);
    process.exit(1);
  });
}

async function join(): Promise<() => Promise<void>> {
  refuseArguments("worker");
  requireSettings("worker");
  serveMetrics("worker", () => stop.signal.aborted);
  const { joined, leave } = await joinInstall("worker", stop.signal);
  await joined;
  return leave;
}

const leave = await join().catch(refuse);
const sendTraces = await startTracing();
log.info("worker started");
if (!stop.signal.aborted) await run(allJobs, stop.signal, process.argv[2]);
await leave();
await closePool();
await sendTraces();
log.info("worker stopped");
process.exit(0);
