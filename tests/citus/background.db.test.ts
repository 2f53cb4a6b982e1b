import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { db } from "@/db/client";
import { dropOldPartitions, keepPartitions, partitioned, tablesWithStrays } from "@/db/partitions";
import { metrics } from "@/lib/kernel/metrics";
import { allJobs } from "@/lib/worker/all-jobs";
import { readFigures } from "@/lib/worker/figures";
import { newLink, newShop } from "../money/setting";

beforeAll(async () => {
  await newLink(await newShop());
});

test.each(allJobs.tasks)('the task "$name" does its work', async ({ run }) => {
  expect(await run("test")).toBeGreaterThanOrEqual(0);
});

const refusesDeletes = (partition: string) =>
  expect(db.execute(sql`delete from ${sql.identifier(partition)}`)).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/^events_\w+ is append-only$/) },
  });

test("months are created where they are missing, and dropped at their age", async () => {
  const { rows } = await db.execute<{ month: string }>(
    sql`select to_char(month_begin(now(), 2) at time zone 'UTC', 'YYYYMM') as month`,
  );
  for (const table of partitioned) {
    const partition = `${table}_${rows[0]?.month}`;
    await db.execute(sql.raw(`alter table ${table} detach partition ${partition}`));
    await db.execute(sql.raw(`drop table ${partition}`));
  }
  expect(await keepPartitions()).toBe(partitioned.length);
  expect(await keepPartitions()).toBe(0);
  await refusesDeletes(`events_${rows[0]?.month}`);
  for (const table of ["events", "mails"] as const) {
    await db.execute(sql.raw(`alter table ${table} detach partition ${table}_first`));
    await db.execute(
      sql.raw(`create table ${table}_old partition of ${table} for values from ('0') to ('3')`),
    );
    expect(await dropOldPartitions(table, 90)).toBe(1);
  }
});

test("events that no month holds go at their age, by their own function alone", async () => {
  const { businessId } = (await newShop()).ctx;
  const insert = (id: string, days: number) =>
    db.execute(sql`insert into events (business_id, mode, id, type, object_id, data, actor, created_at)
      values (${businessId}, 'test', ${id}, 'package.created', 'o', '{}', '{"kind":"clock"}', now() - make_interval(days => ${days}))`);
  await insert("f".repeat(23).concat("0"), 91);
  await insert("f".repeat(24), 89);
  expect(await tablesWithStrays()).toContain("events");
  const left = async () =>
    (await db.execute(sql`select id from events where business_id = ${businessId} and id > 'f'`))
      .rowCount;
  await dropOldPartitions("events", 90);
  expect(await left()).toBe(2);
  await db.execute(sql`delete from event_queue where business_id = ${businessId}`);
  await refusesDeletes("events_default");
  await dropOldPartitions("events", 90);
  expect(await left()).toBe(1);
});

test("all figures of the metrics are read", async () => {
  await readFigures();
  const { values } = (await metrics.getSingleMetric("kutip_figures_read")?.get()) ?? { values: [] };
  expect(values.length).toBeGreaterThan(0);
  expect(values.filter(({ value }) => value !== 1)).toEqual([]);
});
