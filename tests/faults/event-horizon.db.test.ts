import { sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { db, pool } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { eventHorizon, oldestBlocker } from "@/db/event-horizon";
import { list } from "@/lib/domain/events/list";
import type { EventQuery } from "@/lib/contract/events";
import { mailComposition } from "@/lib/flows/mailing/job";
import { outcomes } from "@/lib/flows/renewal/job";
import { webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { env } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { newShop, type Shop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import type { ClaimableTable } from "@/lib/jobs/claim-rows";
import { runOnce } from "../run-once";

const other = env.DATABASE_URL ?? "";
ownDatabaseEach();

let shop: Shop;
const open: pg.Client[] = [];
beforeEach(async () => {
  shop = await newShop();
  await writeEvent(pool(), newId());
  await readAll();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()));
});

/** A transaction that has written and is not over. */
async function openWrite(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(url));
  open.push(client);
  await client.connect();
  await client.query("begin");
  await client.query("select pg_current_xact_id()");
  return client;
}

const writeEvent = (on: Pick<pg.Client, "query">, id: string) =>
  on.query(
    `insert into events (business_id, mode, id, type, object_id, data, actor, mail)
     values ($1, 'test', $2, 'payment.failed', $2, '{"email":"payer@example.com"}', '{"kind":"clock"}', 'unknown_kind')`,
    [shop.ctx.businessId, id],
  );

const consumers = [webhookFanOut, outcomes, mailComposition];
async function readAll(): Promise<number[]> {
  const counts: number[] = [];
  for (const job of consumers) counts.push(await runOnce<ClaimableTable>(job));
  return counts;
}
const listed = async (query: EventQuery = {}) => {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from events order by xid, seq limit 1`,
  );
  const after = rows[0]?.id ?? "";
  const page = await list(shop.ctx, { ...query, after, per_page: 100 }, new URLSearchParams());
  return page.data.map(({ _id }) => _id);
};

test("an open write transaction in another database holds back no list of events", async () => {
  await openWrite(other);
  const id = newId();
  await writeEvent(pool(), id);
  expect(await readAll()).toEqual([1, 1, 1]);
  expect(await listed()).toContain(id);
});

test("open write transactions, here or in another database, hold back no webhook, mail or follow-up", async () => {
  await openWrite(other);
  const late = await openWrite(env.DATABASE_URL ?? "");
  const [first, second] = [newId(), newId()];
  await writeEvent(late, first);
  await writeEvent(pool(), second);
  expect(await readAll()).toEqual([1, 1, 1]);
  await late.query("commit");
  expect(await readAll()).toEqual([1, 1, 1]);
  expect(await readAll()).toEqual([0, 0, 0]);
});

test.each<EventQuery>([{}, { type: "payment.failed" }])(
  "a list of events of %j never skips one that commits late, whatever runs in other databases meanwhile",
  async (query) => {
    await openWrite(other);
    const late = await openWrite(env.DATABASE_URL ?? "");
    await openWrite(other);
    const [first, second] = [newId(), newId()];
    await writeEvent(pool(), second);
    expect(await listed(query)).not.toContain(second);
    await writeEvent(late, first);
    await late.query("commit");
    expect((await listed(query)).slice(-2)).toEqual([first, second]);
  },
);

test("no event is read out of order or skipped while many transactions of both databases come and go", async () => {
  const order: string[] = [];
  const { rows: start } = await db.execute<{ xid: string; seq: string }>(
    sql`select coalesce(max(xid::text::bigint), 0)::text as xid, coalesce(max(seq), 0)::text as seq from events`,
  );
  let at = start[0] ?? { xid: "0", seq: "0" };
  const read = async () => {
    const { rows } = await db.execute<{ id: string; xid: string; seq: string }>(
      sql`select id, xid::text, seq::text from events where xid < ${eventHorizon} and (xid, seq) > (${at.xid}::xid8, ${at.seq}::bigint) order by events.xid, events.seq`,
    );
    for (const row of rows) order.push(row.id);
    at = rows.at(-1) ?? at;
  };
  let writing = true;
  const write = async (url: string, ours: boolean) => {
    const client = new pg.Client(connectionOptions(url));
    open.push(client);
    await client.connect();
    for (let n = 0; n < 150; n++) {
      await client.query("begin");
      await client.query("select pg_current_xact_id()");
      if (n % 3 === 0) await client.query("select pg_sleep(0.002)");
      if (ours) await writeEvent(client, newId());
      await client.query(n % 7 === 0 ? "rollback" : "commit");
    }
  };
  const mine = env.DATABASE_URL ?? "";
  const writers = Promise.all(
    [mine, mine, mine, other, other].map((url) => write(url, url === mine)),
  );
  const reading = (async () => {
    while (writing) await read();
  })();
  await writers;
  writing = false;
  await reading;
  await read();
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from events where (xid, seq) > (${start[0]?.xid}::xid8, ${start[0]?.seq}::bigint) order by xid, seq`,
  );
  expect(order).toEqual(rows.map(({ id }) => id));
  expect(order.length).toBeGreaterThan(300);
});

test("a role without special rights can distinguish the databases too", async () => {
  await openWrite(other);
  const id = newId();
  await writeEvent(pool(), id);
  const client = new pg.Client(connectionOptions());
  open.push(client);
  await client.connect();
  const role = `kutip_plain_${id}`;
  await client.query(`create role ${role}; grant select on events to ${role}`);
  await client.query("begin");
  await client.query(`set local role ${role}`);
  const query = db
    .select({ found: sql`true` })
    .from(sql`events`)
    .where(sql`id = ${id} and xid < ${eventHorizon}`)
    .toSQL();
  expect((await client.query(query.sql, query.params)).rowCount).toBe(1);
  await client.query(`rollback; drop owned by ${role}; drop role ${role}`);
});

test("the oldest transaction that holds events back can be named", async () => {
  expect(await oldestBlocker(0)).toBeUndefined();
  await openWrite(other);
  expect(await oldestBlocker(0)).toBeUndefined();
  await openWrite(env.DATABASE_URL ?? "");
  expect(await oldestBlocker(0)).toMatchObject({
    description: expect.stringMatching(/^process \d+/),
  });
  expect(await oldestBlocker(3_600)).toBeUndefined();
});
