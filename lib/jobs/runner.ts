import { together } from "@/db/batched";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { counter, durations, gauge } from "@/lib/kernel/metrics";
import { traced } from "@/lib/kernel/trace";
import {
  ClaimLost,
  type ClaimableTable,
  type Row,
  type Tenant,
  unscopedBackOff,
  unscopedClaim,
  unscopedExtend,
  unscopedRelease,
} from "./claim-rows";
import type { Job } from "./define";
import { unscopedDueTenants } from "./look-rows";
import { noteProgress } from "./progress";

/** How many calls of `work` a job has under way in all, slow ones too. */
const MAX_SLOTS = 256;
/** A call that takes longer keeps its place of its own tenant, and no place of others. */
const SLOW_MS = 5_000;
const EXTEND_EVERY_MS = 15_000;
/** Work that never ends keeps its claim no longer than this. */
const MAX_WORK_MS = 600_000;

const rowsDone = counter(
  "kutip_job_rows_total",
  "Rows that this worker worked on, by kind of job and outcome.",
  ["kind", "outcome"],
);
const underWay = gauge("kutip_job_running", "Calls of a job that are under way in this worker.", [
  "kind",
]);
const seconds = durations("kutip_job_duration_seconds", "How long calls of a job took.", ["kind"]);

/** `poll` claims what is due and starts it; it returns how many rows it started and does not wait for them. `drain` waits for all. */
export type Runner = {
  poll: (requestId: string) => Promise<number>;
  drain: () => Promise<void>;
  /** Asks long work to end early, and waits for all. */
  stop: () => Promise<void>;
};

type Running<R> = { tenant: string; rows: R[]; since: number; end: Promise<void> };
type Options = {
  /** The heartbeat that the claims depend on; null: on their leases alone. */
  worker?: string | null;
  /** Keeps it to one business, or to one account where jobs are fair by accounts alone. */
  only?: number | string;
};

/** Works through the due rows of a job, a few rows of each tenant at a time: a tenant that is slow, stuck or huge delays only itself. */
export function createRunner<T extends ClaimableTable>(
  job: Job<T>,
  { worker = null, only }: Options = {},
): Runner {
  const { due, name } = job;
  const { table } = due;
  const running = new Set<Running<Row<T>>>();
  const stopped = new AbortController();
  let after: Tenant | undefined;
  let extending: NodeJS.Timeout | undefined;

  const properties = due.fairBy.map((column) => {
    const [property] = Object.entries(table).find(([, one]) => one === column) ?? [];
    if (property === undefined) throw new Error(`${name} is fair by a column of another table`);
    return [property, column.dataType === "number" ? 0 : ""] as const;
  });
  const tenantOf = (row: Row<T>): string =>
    JSON.stringify(
      properties.map(([property, blank]) => (row as Record<string, unknown>)[property] ?? blank),
    );
  const busyOf = (tenant: string) => [...running].filter((one) => one.tenant === tenant).length;
  const freeSlots = () => {
    const quick = [...running].filter(({ since }) => performance.now() - since < SLOW_MS).length;
    return Math.max(0, Math.min(job.slots - quick, MAX_SLOTS - running.size));
  };

  const failed = async (rows: Row<T>[], requestId: string, error: unknown) => {
    const isLost = error instanceof ClaimLost;
    rowsDone.inc({ kind: name, outcome: isLost ? "claim_lost" : "failed" }, rows.length);
    if (isLost) {
      log.warn({ request_id: requestId, job: name }, "another worker has taken over");
      return;
    }
    const ids = rows.map((row) => (row as { id?: unknown }).id);
    log.error({ request_id: requestId, job: name, ids, err: error }, "background work failed");
    // Without a database the lease ends by time.
    await unscopedBackOff(table, rows, job.backOffSeconds).catch(() => undefined);
  };

  const release = together<Row<T>[], void>(async (ended) => {
    await unscopedRelease(due, ended.flat(), job.repeats);
    return [];
  });

  const attempt = async (rows: Row<T>[], requestId: string): Promise<void> => {
    try {
      const about = { name: `job ${name}`, attributes: { "kutip.rows": rows.length } };
      await traced(about, () => job.work(rows, { requestId, stopping: stopped.signal }));
    } catch (error) {
      if (rows.length === 1) return failed(rows, requestId, error);
      for (const row of rows) await attempt([row], requestId);
      return;
    }
    noteProgress(name, rows.length);
    rowsDone.inc({ kind: name, outcome: "done" }, rows.length);
    await release(rows).catch((error: unknown) =>
      log.warn({ job: name, err: error }, "a claim could not be released; its lease ends by time"),
    );
  };

  const extend = () => {
    const now = performance.now();
    const rows = [...running].flatMap((one) => (now - one.since < MAX_WORK_MS ? one.rows : []));
    if (rows.length > 0) unscopedExtend(table, rows, job.leaseSeconds).catch(() => undefined);
  };

  const start = (tenant: string, rows: Row<T>[], requestId: string) => {
    const one = { tenant, rows, since: performance.now(), end: Promise.resolve() };
    one.end = attempt(rows, requestId).finally(() => {
      running.delete(one);
      underWay.dec({ kind: name });
      seconds.observe({ kind: name }, (performance.now() - one.since) / 1_000);
      if (running.size === 0) clearInterval(extending);
    });
    if (running.size === 0) extending = setInterval(extend, EXTEND_EVERY_MS).unref();
    running.add(one);
    underWay.inc({ kind: name });
  };

  const claim = async (slots: number): Promise<Row<T>[]> => {
    const { tenants, walkedTo } = await unscopedDueTenants(due, after, only);
    const shares = tenants.map((tenant) => {
      const busy = busyOf(JSON.stringify(tenant));
      const room = Math.min(
        (job.perTenant - busy) * job.batch,
        job.allowance?.(tenant) ?? Number.POSITIVE_INFINITY,
      );
      return { tenant, busy, room: Math.max(0, room) };
    });
    const chosen = shares.filter(({ room }) => room > 0).slice(0, slots);
    // More tenants than places: the next poll begins behind the last of these.
    after = chosen.length === slots ? chosen.at(-1)?.tenant : walkedTo;
    return unscopedClaim(due, chosen, {
      limit: slots * job.batch,
      worker,
      leaseSeconds: job.leaseSeconds,
    });
  };

  const drain = async () => {
    await Promise.all([...running].map(({ end }) => end));
  };

  return {
    poll: async (requestId) => {
      const slots = freeSlots();
      const wasBehind = after !== undefined;
      const rows = slots > 0 ? await claim(slots) : [];
      job.started?.(rows);
      for (const [tenant, ofTenant] of Map.groupBy(rows, tenantOf))
        for (let from = 0; from < ofTenant.length; from += job.batch)
          start(tenant, ofTenant.slice(from, from + job.batch), requestId);
      if (rows.length > 0) return rows.length;
      // Tenants before the beginning of this walk are next, without a pause.
      if (slots > 0 && wasBehind) return 1;
      if (running.size === 0) return 0;
      // The end of a call makes room for the next one.
      let timer: NodeJS.Timeout | undefined;
      const later = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, env.WORKER_POLL_MS);
      });
      await Promise.race([later, ...[...running].map(({ end }) => end)]);
      clearTimeout(timer);
      return 1;
    },
    drain,
    stop: () => {
      stopped.abort();
      return drain();
    },
  };
}
