import { collectDefaultMetrics } from "prom-client";
import { readFigures } from "@/lib/worker/figures";
import { gauge, metrics } from "@/lib/kernel/metrics";
import { version } from "@/lib/kernel/version";
import { readiness } from "./health";

/** A scrape waits no longer for the database; it then shows what was read before. */
const WAIT_MS = 1_500;

/** `supervisor` is no process that works: the install's figures come from the others. */
export type ProcessName = "web" | "worker" | "supervisor";

const build = gauge("kutip_build_info", "1, with the version as a label.", ["version", "process"]);
const isReady = gauge(
  "kutip_ready",
  "1 while the process is ready, as GET /api/health/ready says.",
  ["process"],
);

type Described = { name: ProcessName; isStopping: () => boolean };
let described: Described | undefined;

/** Begins to measure the process itself. Until then nothing but counters of its work is kept. */
export function describeProcess(described_: Described): void {
  described = described_;
  build.set({ version, process: described.name }, 1);
  if (!metrics.getSingleMetric("process_cpu_seconds_total"))
    collectDefaultMetrics({ register: metrics });
}

/** All metrics in Prometheus's text format. It is there within two seconds, also while the database is away. */
export async function metricsText(waitMs = WAIT_MS): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([readAll(), limit]);
  clearTimeout(timer);
  return metrics.metrics();
}

async function readAll(): Promise<void> {
  if (!described) return;
  const { name, isStopping } = described;
  const ready = readiness(name, isStopping()).then(({ ok }) => {
    isReady.set({ process: name }, ok ? 1 : 0);
  });
  await Promise.all([ready, name === "supervisor" ? undefined : readFigures()]);
}
