import { Counter, Gauge, Histogram, Registry } from "prom-client";

// Next.js bundles this module apart from our server: both count in one registry, in the process's own global.
const REGISTRY = Symbol.for("kutip.metrics");
const shared = globalThis as { [REGISTRY]?: Registry };

/** The metrics of this process. A label takes declared names alone: no id, no path, nothing of a payer. */
export const metrics: Registry = (shared[REGISTRY] ??= new Registry());

const known = <M>(name: string) => metrics.getSingleMetric(name) as M | undefined;

/** A number that only grows. */
export const counter = <L extends string = never>(
  name: string,
  help: string,
  labelNames: readonly L[] = [],
): Counter<L> =>
  known<Counter<L>>(name) ?? new Counter({ name, help, labelNames, registers: [metrics] });

/** A number that goes up and down. `collect` is called before each scrape and sets it. */
export const gauge = <L extends string = never>(
  name: string,
  help: string,
  labelNames: readonly L[] = [],
  collect?: (this: Gauge<L>) => void,
): Gauge<L> =>
  known<Gauge<L>>(name) ??
  new Gauge({ name, help, labelNames, registers: [metrics], ...(collect ? { collect } : {}) });

/** How long something takes, in seconds. */
export const durations = <L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  buckets: number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
): Histogram<L> =>
  known<Histogram<L>>(name) ??
  new Histogram({ name, help, labelNames, buckets, registers: [metrics] });
