import type pg from "pg";
import { gauge } from "@/lib/kernel/metrics";

// Next.js has pools of its own for payer pages: they add up by name.
const POOLS = Symbol.for("kutip.pools");
const shared = globalThis as { [POOLS]?: Map<pg.Pool, string> };
const pools = (shared[POOLS] ??= new Map());

const figures = {
  max: (pool) => pool.options.max,
  open: (pool) => pool.totalCount,
  idle: (pool) => pool.idleCount,
  waiting: (pool) => pool.waitingCount,
} satisfies Record<string, (pool: pg.Pool) => number>;

const helps: Record<keyof typeof figures, string> = {
  max: "Connections that the pool may open.",
  open: "Connections that are open.",
  idle: "Open connections without a statement.",
  waiting: "Calls that wait for a connection.",
};

for (const [figure, read] of Object.entries(figures))
  gauge(
    `kutip_pool_connections_${figure}`,
    helps[figure as keyof typeof figures],
    ["pool"],
    function () {
      this.reset();
      for (const [pool, name] of pools) this.inc({ pool: name }, read(pool));
    },
  );

/** Shows a pool in the metrics until the returned function is called. */
export function watchPool(name: string, pool: pg.Pool): () => void {
  pools.set(pool, name);
  return () => void pools.delete(pool);
}
