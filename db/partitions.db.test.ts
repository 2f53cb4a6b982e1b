import { expect, test, vi } from "vitest";
import { pool } from "@/db/client";
import { createBusiness } from "@/lib/domain/businesses/create";
import { ownDatabaseEach } from "../tests/own-database";
import { dropOldPartitions, keepPartitions, partitioned, tablesWithStrays } from "./partitions";

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

/** Writes an event with an id that begins so, some days ago. Returns the partition that holds it. */
async function write(begin: string, days = 0): Promise<unknown> {
  const { id: businessId } = await createBusiness({ name: "Partitions" });
  const [row] = await query(
    `insert into events (business_id, mode, id, type, object_id, data, actor, created_at)
     values ($1, 'test', $2, 'package.created', 'o', '{}', '{"kind":"clock"}', now() - make_interval(days => $3)) returning tableoid::regclass::text as partition`,
    [businessId, begin.padEnd(24, "0"), days],
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

test("a month is created below later ones, which a clock that was ahead for a moment has left", async () => {
  const all = await partitionsOf("events");
  const [month] = all.filter((name) => /_\d{6}$/.test(String(name)));
  await query(`drop table ${String(month)}`);
  await query("create table events_later partition of events for values from ('f') to ('f1')");
  expect(await keepPartitions()).toBe(1);
  expect(await partitionsOf("events")).toEqual(expect.arrayContaining([...all, "events_later"]));
});

test("events and mails that no month holds go at their age, unless work is still due", async () => {
  for (const table of ["events", "mails"])
    await query(`alter table ${table} detach partition ${table}_first`);
  expect(await tablesWithStrays()).toEqual([]);
  const writeMail = (id: string) =>
    query(
      `insert into mails (business_id, id, kind, cause, recipient, subject, html, text) values (0, $1, 'k', 'c', 'r', 's', '', '')`,
      [id.padEnd(24, "0")],
    );
  for (const [begin, days] of [["1"], ["ffffffff", 91], ["ffffffff", 89]] as const)
    expect(await write(begin, days)).toBe("events_default");
  expect(await tablesWithStrays()).toEqual(["events"]);
  for (let n = 1; n <= 1_002; n++) await writeMail(`1${String(n).padStart(4, "0")}`);
  await query("update mails set next_try_at = now() where id like '11002%'");
  await writeMail("ffffffff");
  const left = () =>
    query(
      "select (select count(*) from events_default)::int as events, (select count(*) from mails_default)::int as mails",
    );
  const drop = async () => [
    await dropOldPartitions("events", 90),
    await dropOldPartitions("mails", 90),
  ];
  expect(await drop()).toEqual([0, 1_001]);
  expect(await left()).toEqual([{ events: 3, mails: 2 }]);
  await query("delete from event_queue");
  expect(await drop()).toEqual([2, 0]);
  expect(await left()).toEqual([{ events: 1, mails: 2 }]);
  expect(await tablesWithStrays()).toEqual(["events", "mails"]);
  await expect(query("select drop_old_rows(1, 'ledger_entries', 1, 1)")).rejects.toThrow("is kept");
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
