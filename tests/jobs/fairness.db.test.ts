import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { getTableColumns, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { afterAll, expect, test } from "vitest";
import { db, withTransaction } from "@/db/client";
import { webhookDeliveries } from "@/db/schema/webhooks";
import type { ClaimableTable } from "@/lib/jobs/claim-rows";
import { collectJobs, type Job } from "@/lib/jobs/define";
import { unscopedWorkHealth } from "@/lib/jobs/health";
import { run } from "@/lib/jobs/loop";
import { createRunner } from "@/lib/jobs/runner";
import { newId } from "@/lib/kernel/ids";
import { allJobs } from "@/lib/worker/all-jobs";
import { jobFilesSource } from "@/scripts/jobs-plugin.mjs";
import { ownDatabaseEach } from "../own-database";

ownDatabaseEach();

const MANY = 1_000;
const past = sql`now() - interval '1 hour'`;
type Values = Record<string, unknown>;

/** What makes a row of a job due, beyond its moment, and what the checks of its table ask for. */
const DUE: Record<string, () => Values> = {
  "expire links": () => ({ currency: "MYR" }),
  "remind payers": () => ({ currency: "MYR" }),
  hang: () => ({ currency: "MYR" }),
  "look up activations": () => ({ attemptAt: past }),
  "charge subscriptions": () => ({ periodStart: "2026-01-01", periodEnd: "2026-01-31" }),
  "advance test clocks": () => ({ advancingTo: sql`now()`, nextSliceAt: past }),
  "compose mails": () => ({ consumer: "mails" }),
  "queue notifications": () => ({ consumer: "notifications" }),
  "queue daily summaries": () => ({ userId: randomUUID() }),
  "send notifications": () => ({ userId: randomUUID() }),
  "turn events into webhooks": () => ({ consumer: "webhooks" }),
  "follow outcomes": () => ({ consumer: "subscriptions" }),
  "settle payments of the simulator": () => ({ ...session(), state: "pending" }),
  "close pages of the simulator": () => ({ ...session(), state: "open" }),
};
const session = () => ({ kind: "pay", page: newId(), amount: 500, currency: "MYR" });

/** A row with a value in every column that needs one. */
function rowOf({ name, due }: Job, tenant: 1 | 2): Values {
  const columns = getTableColumns(due.table) as Record<string, AnyPgColumn>;
  const row: Values = {};
  for (const [property, column] of Object.entries(columns)) {
    const { enumValues, dataType } = column;
    if (due.fairBy.includes(column)) row[property] = dataType === "number" ? tenant : `t${tenant}`;
    else if (column === due.moment) row[property] = past;
    else if (!column.notNull || column.hasDefault) continue;
    else if (enumValues) row[property] = enumValues[0];
    else if (dataType === "number") row[property] = 500;
    else if (dataType === "json") row[property] = {};
    else if (dataType === "custom") row[property] = past;
    else row[property] = newId();
  }
  return { ...row, ...DUE[name]?.() };
}

/** Many due rows of the first tenant and one of the second. Where the tenant is the key, it has one row. */
async function fill(job: Job): Promise<void> {
  const length = job.due.fairBy.some(({ primary }) => primary) ? 1 : MANY;
  const rows = [...Array.from({ length }, () => rowOf(job, 1)), rowOf(job, 2)];
  await withTransaction(async (tx) => {
    // Rows of these tables alone: what they refer to is not there.
    await tx.execute(sql`set local session_replication_role = replica`);
    for (let from = 0; from < rows.length; from += 200)
      await tx.insert(job.due.table).values(rows.slice(from, from + 200) as never);
    if (job.name !== "deliver webhooks") return;
    await tx.execute(sql`insert into ${webhookDeliveries} (business_id, mode, id, endpoint_id, event_id, event_type, next_try_at)
      select business_id, mode, id, id, id, 'package.created', now() - interval '1 hour' from webhook_endpoints`);
  });
}

/** One round in which the first tenant's rows hang; returns how many rows of each tenant were started. */
async function round(job: Job): Promise<Record<number, number>> {
  const begun: Record<number, number> = { 1: 0, 2: 0 };
  const [first] = job.due.fairBy;
  const property = Object.entries(job.due.table).find(([, column]) => column === first)?.[0] ?? "";
  const runner = createRunner<ClaimableTable>({
    ...job,
    work: async (rows) => {
      const value = String((rows[0] as Values)[property]);
      const tenant = value.endsWith("2") ? 2 : 1;
      begun[tenant] = (begun[tenant] ?? 0) + rows.length;
      if (tenant === 1) await new Promise(() => undefined);
    },
  });
  await runner.poll("fairness-test");
  return begun;
}

test.each(allJobs.jobs.map((job) => [job.name, job] as const))(
  "%s: a thousand stuck rows of one tenant delay no row of another",
  async (_, job) => {
    await fill(job);
    const begun = await round(job);
    expect(begun[2]).toBe(1);
    expect(begun[1]).toBeLessThanOrEqual(job.perTenant * job.batch);
    expect(begun[1]).toBeGreaterThan(0);
  },
);

const folder = path.join(process.cwd(), `build/new-job-${process.pid}`);
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a new job is one file: one that hangs is fair, beats, and shows in health and its figures", async () => {
  const file = path.join(folder, "lib/flows/hanging/job.ts");
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(
    file,
    `import { expiringLinks } from "${process.cwd()}/lib/domain/payment-links/rows";
    import { defineJob } from "${process.cwd()}/lib/jobs/define";
    export const hanging = defineJob({ name: "hang", due: expiringLinks, work: () => new Promise(() => undefined) });`,
  );
  const list = path.join(folder, "list.ts");
  await writeFile(list, jobFilesSource(folder));
  const { jobFiles } = (await import(/* @vite-ignore */ list)) as {
    jobFiles: Record<string, unknown>[];
  };
  const { jobs } = collectJobs(jobFiles);
  const [job] = jobs;
  if (!job) throw new Error("the new job was not found");
  await fill(job);
  expect((await round({ ...job, name: "a round of it" }))[2]).toBe(1);
  await db.execute(sql`update payment_links set leased_until = null`);

  const stop = new AbortController();
  void run({ jobs, tasks: [] }, stop.signal);
  const claimed = async () => {
    const { rows } = await db.execute<{ tenants: number; alive: number }>(
      sql`select count(distinct l.business_id)::int as tenants, count(distinct w.id)::int as alive
        from payment_links l join workers w on w.id = l.leased_by`,
    );
    return rows[0];
  };
  await expect.poll(claimed).toEqual({ tenants: 2, alive: 1 });
  const { seenSecondsAgo, jobs: figures } = await unscopedWorkHealth(jobs, 1);
  expect(seenSecondsAgo).toBeLessThan(20);
  expect(figures).toMatchObject([
    { name: "hang", late: true, perSecond: 0, stuck: [{ tenant: [1], tried: true }] },
  ]);
  expect(figures[0]?.overdueSeconds).toBeGreaterThan(3_500);
  // One tenant of several that hangs is named, and does not make the install late.
  const { jobs: ofSeveral } = await unscopedWorkHealth(jobs, 2);
  expect(ofSeveral).toMatchObject([{ late: false, stuck: [{ tenant: [1] }] }]);
  stop.abort();
});
