import type { WorkKind } from "@/lib/contract/work";
import type { ClaimableTable, Due, Row, Tenant } from "./claim-rows";
import type { Shown } from "./state-rows";

/** What a job does not declare. */
const defaults = {
  batch: 1,
  perTenant: 4,
  slots: 16,
  leaseSeconds: 60,
  repeats: false,
  backOffSeconds: [5, 900] as readonly [first: number, max: number],
  lateAfterSeconds: 60 as number | null,
  ofInstall: false,
};

/** `stopping` is aborted when the worker stops: long work then ends early and leaves the rest due. */
export type Call = { requestId: string; stopping: AbortSignal };

/** A kind of background work: which rows are due, and what to do about them. */
export type JobDefinition<T extends ClaimableTable> = {
  /** Unique; shown in logs, health and metrics. */
  name: string;
  due: Due<T>;
  /**
   * Does the work of rows of one tenant. A throw fails all of them: a batch is then repeated row by row, and a row that fails waits for its
   * back-off. Work that writes an outcome which only the holder of the claim may write calls `assertHeld` or `deleteHeld` in that transaction.
   */
  work(rows: Row<T>[], call: Call): Promise<unknown>;
  /** How many rows of a tenant one call of `work` gets. */
  batch?: number;
  /** How many calls of `work` may be under way for one tenant. */
  perTenant?: number;
  /** How many calls may be under way in one worker, not counting slow ones. */
  slots?: number;
  /** How long a claim lasts when its worker does not extend it. */
  leaseSeconds?: number;
  backOffSeconds?: readonly [first: number, max: number];
  /** A row that is due again after its work is free at once, not at the end of its lease. */
  repeats?: boolean;
  /** Work that has been due for longer makes the install late; null: never. */
  lateAfterSeconds?: number | null;
  /** Its one tenant is the install, not a business: the install is late as soon as that tenant is stuck, by a try that goes on too. */
  ofInstall?: boolean;
  /** How many rows of a tenant may be started now, where another limit than `perTenant` counts. */
  allowance?: (tenant: Tenant) => number;
  /** Called with the rows that are about to be worked. */
  started?(rows: readonly Row<T>[]): void;
  /** The kind under which the dashboard counts the rows, which then have a mode. */
  shownAs?: WorkKind;
  /** What the dashboard counts, where that is not `due`. */
  shown?: Shown;
  /** Releases what the job holds, before the worker stops. */
  close?: () => void;
};

export type Job<T extends ClaimableTable = ClaimableTable> = Required<
  Omit<JobDefinition<T>, "allowance" | "started" | "shownAs" | "shown" | "close">
> &
  Pick<JobDefinition<T>, "allowance" | "started" | "shownAs" | "shown" | "close">;

/** Work without tenants that is repeated: `run` returns how much it did; after something it runs again at once. */
export type Task = { name: string; everyMs: number; run: (requestId: string) => Promise<number> };

const declared = new WeakSet<object>();

/** Declares a job. A file `job.ts` that exports it is all that the worker, health and the dashboard need. */
export function defineJob<T extends ClaimableTable>(definition: JobDefinition<T>): Job<T> {
  const job = { ...defaults, ...definition };
  declared.add(job);
  return job;
}

/** Declares a task, exported by a `job.ts` like a job. */
export function defineTask(task: Task): Task {
  declared.add(task);
  return task;
}

/** The jobs and tasks among what modules export. Throws when two have one name. */
export function collectJobs(modules: readonly Record<string, unknown>[]): {
  jobs: Job[];
  tasks: Task[];
} {
  const found = modules
    .flatMap((module) => Object.values(module))
    .filter((value): value is Job | Task => declared.has(value as object));
  const names = found.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two jobs are named ${twice}`);
  return {
    jobs: found.filter((one): one is Job => "due" in one),
    tasks: found.filter((one): one is Task => "run" in one),
  };
}
