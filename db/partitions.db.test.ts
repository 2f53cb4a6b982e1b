import { expect, test, vi } from "vitest";
import { pool } from "@/db/client";
import { createBusiness } from "@/lib/domain/businesses/create";
import { ownDatabaseEach } from "../tests/own-database";
import { dropOldPartitions, keepPartitions, partitioned } from "./partitions";

ownDatabaseEach();

const query = async (text: string, values: unknown[] = []) =>
  (await pool().query<Record<string, unknown>>(text, values)).rows;
const bound = async (months: number) =>
  (await query("select partition_bound('events', month_begin(now(), $1)) as id", [months]))[0]
    ?.id as string;
const partitionsOf = async (table: string) =>
  (
    await query(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1",
      [table],
    )
  ).map(({ name }) => name);

/** Writes an event with an id that begins so. Returns the partition that holds it. */
async function write(begin: string): Promise<unknown> {
  const { id: businessId } = await createBusiness({ name: "Partitions" });
  const [row] = await query(
    `insert into events (business_id, mode, id, type, object_id, data, actor) values ($1, 'test', $2, 'package.created', 'o', '{}', '{"kind":"clock"}')
     returning tableoid::regclass::text as partition`,
    [businessId, begin.padEnd(24, "0")],
  );
  return row?.partition;
}

test("an id of any moment finds a place", async () => {
  const name = `events_${new Date(Number.parseInt(await bound(2), 16) * 1_000).toISOString().slice(0, 7).replace("-", "")}`;
  expect(await write("00000001")).toBe("events_first");
  expect(await write(await bound(0))).toBe("events_first");
  expect(await write(await bound(2))).toBe(name);
  expect(await write("ffffffff")).toBe("events_default");
});

test("missing months are created, and rows that came before their month stay where they are", async () => {
  const all = await partitionsOf("mails");
  expect(await keepPartitions()).toBe(0);
  for (const table of ["mails", "events"]) {
    const last = (await partitionsOf(table)).filter((name) => /_\d{6}$/.test(String(name))).at(-1);
    await query(`drop table ${String(last)}`);
  }
  expect(await write(await bound(2))).toBe("events_default");
  expect(await keepPartitions()).toBe(1);
  expect(await partitionsOf("mails")).toEqual(all);
  expect(await write(await bound(2))).toBe("events_default");
});

test("a past month is dropped when it is empty", async () => {
  const month = (table: string) =>
    query(`alter table ${table} detach partition ${table}_first`).then(() =>
      query(`create table ${table}_old partition of ${table} for values from ('0') to ('3')`),
    );
  await query("alter table webhook_attempts drop constraint webhook_attempts_delivery");
  await month("events");
  await month("webhook_deliveries");
  expect(await write("1")).toBe("events_old");
  expect(await keepPartitions()).toBeGreaterThan(0);
  expect(await partitionsOf("events")).toContain("events_old");
  expect(await partitionsOf("webhook_deliveries")).not.toContain("webhook_deliveries_old");
});

test("events and mails of a past month go after their time, unless work is still due", async () => {
  await query("alter table webhook_attempts drop constraint webhook_attempts_delivery");
  for (const table of ["events", "mails"]) {
    await query(`alter table ${table} detach partition ${table}_first`);
    await query(`create table ${table}_old partition of ${table} for values from ('0') to ('3')`);
  }
  expect(await write("1")).toBe("events_old");
  const days = Math.floor(Date.now() / 86_400_000 - 0x30000000 / 86_400);
  await query(
    `insert into mails (business_id, id, kind, cause, recipient, subject, html, text, next_try_at) values (0, $1, 'k', 'c', 'r', 's', '', '', now())`,
    ["1".padEnd(24, "0")],
  );
  const kept = () => Promise.all(["events", "mails"].map((table) => partitionsOf(table)));
  expect(await dropOldPartitions("events", 0)).toBe(0);
  expect(await dropOldPartitions("events", 90)).toBe(0);
  expect(await dropOldPartitions("mails", 90)).toBe(0);
  expect(JSON.stringify(await kept())).toContain("events_old");
  await query("delete from event_queue");
  await query("update mails set next_try_at = null");
  expect(await dropOldPartitions("events", days + 31)).toBe(0);
  expect(await dropOldPartitions("events", 90)).toBe(1);
  expect(await dropOldPartitions("mails", 90)).toBe(1);
  expect(JSON.stringify(await kept())).not.toContain("_old");
  await expect(query("select drop_old_partitions('ledger_entries', 1)")).rejects.toThrow("is kept");
});

test("dropping a month gives way to a change that waits for it, which no deadlock ends", async () => {
  await query("alter table events detach partition events_first");
  await query("create table events_old partition of events for values from ('0') to ('3')");
  await write("1");
  await query("delete from event_queue");
  const { id: businessId } = await createBusiness({ name: "Partitions" });
  const [holder, writer] = await Promise.all([pool().connect(), pool().connect()]);
  try {
    await holder.query("begin; lock table webhook_deliveries in access exclusive mode");
    await writer.query("begin; select from businesses for key share");
    const isWaiting = async (text: string) =>
      (
        await query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and query like $1 and pid <> pg_backend_pid()",
          [`%${text}%`],
        )
      ).length > 0;
    let isOver = false;
    const dropping = dropOldPartitions("events", 90)
      .catch((error: Error) => String(error.cause))
      .finally(() => (isOver = true));
    await vi.waitUntil(async () => isOver || (await isWaiting("drop_old_partitions")));
    let isWritten = false;
    const writing = writer
      .query(
        `insert into events (business_id, mode, id, type, object_id, data, actor) values ($1, 'test', $2, 'package.created', 'o', '{}', '{"kind":"clock"}')`,
        [businessId, "f".repeat(24)],
      )
      .then(
        () => "written",
        (error: Error) => error.message,
      )
      .finally(() => (isWritten = true));
    await vi.waitUntil(async () => isWritten || (await isWaiting("insert into events")));
    await holder.query("rollback");
    expect(await writing).toBe("written");
    await writer.query("commit");
    expect(await dropping).toContain("lock timeout");
  } finally {
    holder.release(true);
    writer.release(true);
  }
  expect(await dropOldPartitions("events", 90)).toBe(1);
});

test("events cannot be removed or rewritten through a partition either", async () => {
  await write("00000001");
  for (const name of ["events", ...(await partitionsOf("events"))]) {
    await expect(query(`delete from ${String(name)}`)).rejects.toThrow("append-only");
    await expect(query(`truncate ${String(name)}`)).rejects.toThrow("append-only");
    await expect(query(`update ${String(name)} set type = 'x'`)).rejects.toThrow("append-only");
  }
});

test("deliveries take their attempts along when they are removed, whatever their partition", async () => {
  const [found] = await query(
    "select count(*)::int as n from pg_constraint where conrelid = 'webhook_attempts'::regclass and confrelid = 'webhook_deliveries'::regclass and confdeltype = 'c' and convalidated",
  );
  expect(found?.n).toBe(1);
  expect([...partitioned].sort()).toEqual(
    (await query("select relname from pg_class where relkind = 'p' order by 1")).map(
      ({ relname }) => relname,
    ),
  );
});
