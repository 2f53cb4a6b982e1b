import { unscopedCountPayments } from "@/db/list-counts";
import { shortRead } from "@/db/short-read";
import { env } from "@/lib/env";
import { modes } from "@/lib/contract/values";
import { unscopedCountBusinesses } from "@/lib/domain/businesses/rows";
import { unscopedUnknown } from "@/lib/domain/payments/unknown-rows";
import { unscopedCountDueDeliveries } from "@/lib/domain/webhooks/delivery-rows";
import { MAX_COUNTED_DUE, unscopedCountDue } from "@/lib/jobs/backlog-rows";
import { reportWork, unscopedWorkHealth } from "@/lib/jobs/health";
import { log } from "@/lib/kernel/log";
import { gauge } from "@/lib/kernel/metrics";
import { allJobs } from "./all-jobs";
import { readSchedule } from "./backup-rows";

/** A statement of a figure that takes longer is ended, and its figure left out. */
const STATEMENT_MS = 1_500;
/** However often metrics are asked for, the database is asked no more often than this. */
const WORK_EVERY_MS = 10_000;
const MONEY_EVERY_MS = 60_000;
/** A figure that was not read for longer is left out. */
const KEEP_MS = 120_000;

const dueRows = gauge(
  "kutip_job_due_rows",
  "Rows that are due and wait for a worker, up to 10,000.",
  ["kind"],
);
const oldestDue = gauge(
  "kutip_job_oldest_due_seconds",
  "For how long the oldest of these rows has been due.",
  ["kind"],
);
const late = gauge("kutip_job_late", "1 while the job is late, as GET /api/health says.", ["kind"]);
const stuck = gauge(
  "kutip_job_stuck_tenants",
  "Businesses or gateway accounts with overdue work that was tried, and failed or hangs.",
  ["kind"],
);
const workerSeen = gauge("kutip_worker_seen_seconds_ago", "Seconds since any worker was seen.");
const deliveriesDue = gauge(
  "kutip_webhook_deliveries_due",
  "Webhook deliveries that are due, up to 10,000.",
);
const payments = gauge("kutip_payments", "Payments of all businesses.", [
  "status",
  "mode",
  "currency",
]);
const amounts = gauge("kutip_payments_minor_units", "Amounts of these payments in minor units.", [
  "status",
  "mode",
  "currency",
]);
const unknown = {
  payments: [
    gauge("kutip_payments_unknown", "Payments without a definite answer.", ["mode"]),
    gauge("kutip_payments_unknown_oldest_seconds", "Age of the oldest of them.", ["mode"]),
  ],
  refunds: [
    gauge("kutip_refunds_unknown", "Refunds without a definite answer.", ["mode"]),
    gauge("kutip_refunds_unknown_oldest_seconds", "Age of the oldest of them.", ["mode"]),
  ],
} as const;
const backup = {
  age: gauge("kutip_backup_age_seconds", "Age of what the last complete backup holds."),
  bytes: gauge("kutip_backup_size_bytes", "Size of the last complete backup."),
  interval: gauge("kutip_backup_interval_seconds", "Seconds from one backup to the next."),
  failures: gauge("kutip_backup_failures", "Tries of a backup that failed since one succeeded."),
} as const;
const isRead = gauge(
  "kutip_figures_read",
  "1 when the last read of these figures from the database succeeded.",
  ["figures"],
);

type Shown = { reset: () => void };
/** A gauge without labels shows 0 until it is taken away. */
const absent = (metric: { remove: () => void }): Shown => ({ reset: () => metric.remove() });
type Figures = {
  name: string;
  everyMs: number;
  shown: readonly Shown[];
  /** Reads from the database and returns what shows it. */
  read: () => Promise<() => void>;
};

const figures: readonly Figures[] = [
  {
    name: "due work",
    everyMs: WORK_EVERY_MS,
    shown: [dueRows, oldestDue],
    read: async () => {
      const counts: [string, { rows: number; oldest: number }][] = [];
      for (const { name, due } of allJobs.jobs) counts.push([name, await unscopedCountDue(due)]);
      return () => {
        for (const [kind, { rows, oldest }] of counts) {
          dueRows.set({ kind }, rows);
          oldestDue.set({ kind }, oldest);
        }
      };
    },
  },
  {
    name: "late work",
    everyMs: WORK_EVERY_MS,
    shown: [late, stuck, absent(workerSeen)],
    read: async () => {
      const work = await unscopedWorkHealth(allJobs.jobs, await unscopedCountBusinesses());
      reportWork(work);
      return () => {
        workerSeen.set(work.seenSecondsAgo ?? Number.POSITIVE_INFINITY);
        for (const job of work.jobs) {
          late.set({ kind: job.name }, job.late ? 1 : 0);
          stuck.set({ kind: job.name }, job.stuck.length);
        }
      };
    },
  },
  {
    name: "webhooks",
    everyMs: WORK_EVERY_MS,
    shown: [absent(deliveriesDue)],
    read: async () => {
      const due = await unscopedCountDueDeliveries(MAX_COUNTED_DUE);
      return () => deliveriesDue.set(due);
    },
  },
  ...(["payments", "refunds"] as const).map((kind) => ({
    name: `unknown ${kind}`,
    everyMs: WORK_EVERY_MS,
    shown: unknown[kind],
    read: async () => {
      const found = await unscopedUnknown(kind);
      return () => {
        for (const mode of modes) {
          const of = found.find((one) => one.mode === mode);
          unknown[kind][0].set({ mode }, of?.count ?? 0);
          unknown[kind][1].set({ mode }, of?.oldest ?? 0);
        }
      };
    },
  })),
  {
    name: "backups",
    everyMs: WORK_EVERY_MS,
    shown: Object.values(backup).map(absent),
    read: async () => {
      const { schedule, now } = await readSchedule();
      return () => {
        if (!schedule?.nextAt) return;
        const { lastAt, lastBytes, failures } = schedule;
        backup.age.set(
          lastAt ? (now.getTime() - Date.parse(lastAt)) / 1_000 : Number.POSITIVE_INFINITY,
        );
        backup.bytes.set(lastBytes ?? 0);
        backup.interval.set(env.BACKUP_EVERY_HOURS * 3_600);
        backup.failures.set(failures);
      };
    },
  },
  {
    name: "payments",
    everyMs: MONEY_EVERY_MS,
    shown: [payments, amounts],
    read: async () => {
      const counts = await unscopedCountPayments();
      return () => {
        for (const { count, amount, ...labels } of counts) {
          payments.set(labels, count);
          amounts.set(labels, amount);
        }
      };
    },
  },
];

for (const metric of figures.flatMap(({ shown }) => shown)) metric.reset();

const tried = new Map<string, number>();
const succeeded = new Map<string, number>();
let reading: Promise<void> | undefined;

/** Reads the figures of the install that are older than their interval. Calls at the same time share one read; it never throws. */
export function readFigures(now: () => number = () => performance.now()): Promise<void> {
  reading ??= readDue(now).finally(() => (reading = undefined));
  return reading;
}

async function readDue(now: () => number): Promise<void> {
  for (const one of figures) {
    const { name, everyMs } = one;
    if (now() - (tried.get(name) ?? Number.NEGATIVE_INFINITY) < everyMs) continue;
    tried.set(name, now());
    await refresh(one, now);
  }
}

async function refresh({ name, shown, read }: Figures, now: () => number): Promise<void> {
  const forget = () => {
    for (const metric of shown) metric.reset();
  };
  try {
    const show = await shortRead(STATEMENT_MS, read);
    succeeded.set(name, now());
    forget();
    show();
    isRead.set({ figures: name }, 1);
  } catch (error) {
    log.warn({ err: error, figures: name }, "figures for the metrics could not be read");
    isRead.set({ figures: name }, 0);
    if (now() - (succeeded.get(name) ?? Number.NEGATIVE_INFINITY) > KEEP_MS) forget();
  }
}
