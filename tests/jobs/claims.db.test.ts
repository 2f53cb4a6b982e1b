import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db, pool, withTransaction } from "@/db/client";
import { expiringLinks } from "@/lib/domain/payment-links/rows";
import { linkExpiry } from "@/lib/flows/expiry/job";
import { unscopedOverdue } from "@/lib/jobs/backlog-rows";
import {
  assertHeld,
  ClaimLost,
  deleteHeld,
  unscopedBackOff,
  unscopedExtend,
  unscopedRelease,
} from "@/lib/jobs/claim-rows";
import { createRunner } from "@/lib/jobs/runner";
import { unscopedBeat, unscopedLeave } from "@/lib/jobs/workers-rows";
import { newLink, newShop, type Shop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import { claimOf, runOnce } from "../run-once";

ownDatabaseEach();
let shop: Shop;
beforeEach(async () => {
  shop = await newShop();
});

async function overdue(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await newLink(shop))._id);
  await db.execute(sql`update payment_links set expires_at = now() - interval '1 hour'`);
  return ids;
}
type Claim = { id: string; fence: number; failures: number; pause: number | null };
const claims = async (): Promise<Claim[]> =>
  (
    await db.execute<Claim>(
      sql`select id, fence::int as fence, failures, extract(epoch from leased_until - now())::float8 as pause from payment_links order by id`,
    )
  ).rows;

/** Claims all links as this worker, and never finishes. */
async function claimAs(worker: string): Promise<number> {
  const runner = createRunner(
    { ...linkExpiry, work: () => new Promise<never>(() => undefined) },
    { worker },
  );
  return runner.poll("claims-test");
}

test("a tenant whose work is tried is seen as such, whichever of many rows of one moment is claimed", async () => {
  await overdue(30);
  await unscopedBeat("first", 1);
  const links = (await claims()).map(({ id }) => id);
  for (const id of links) {
    await db.execute(sql`update payment_links set leased_until = null`);
    const before = await unscopedOverdue(expiringLinks, 60);
    expect(before).toMatchObject([{ tenant: [shop.ctx.businessId], tried: false }]);
    await db.execute(
      sql`update payment_links set leased_by = 'first', leased_until = now() + interval '1 minute' where id = ${id}`,
    );
    expect(await unscopedOverdue(expiringLinks, 60)).toMatchObject([{ tried: true }]);
  }
});

test("a tenant whose young retries are claimed before its oldest work is seen as tried", async () => {
  await overdue(30);
  await unscopedBeat("first", 1);
  const [young] = await claims();
  await db.execute(
    sql`update payment_links set expires_at = now() - interval '1 second', leased_by = 'first', leased_until = now() + interval '1 minute' where id = ${young?.id}`,
  );
  const retriesFirst = { ...expiringLinks, first: sql`(${expiringLinks.table.leasedBy} is null)` };
  expect(await unscopedOverdue(retriesFirst, 60)).toMatchObject([{ tried: true }]);
});

test("a worker's claims are free 15 seconds after its last heartbeat, and at once when it stops in order", async () => {
  await overdue(1);
  await unscopedBeat("first", 1);
  expect(await claimAs("first")).toBe(1);
  expect(await runOnce(linkExpiry)).toBe(0);
  await db.execute(sql`update workers set seen_at = now() - interval '14 seconds'`);
  expect(await runOnce(linkExpiry)).toBe(0);
  await db.execute(sql`update workers set seen_at = now() - interval '16 seconds'`);
  await unscopedBeat("second", 2);
  expect(await claimAs("second")).toBe(1);
  expect(await runOnce(linkExpiry)).toBe(0);
  await unscopedLeave("second");
  expect(await runOnce(linkExpiry)).toBe(1);
  expect((await claims())[0]?.fence).toBe(3);
});

test("a worker that stalled finishes nothing that another one has claimed since", async () => {
  await overdue(2);
  const stalled = await claimOf(expiringLinks, shop.ctx.businessId);
  await db.execute(sql`update payment_links set leased_until = now()`);
  const taken = await claimOf(expiringLinks, shop.ctx.businessId);
  expect(taken.map(({ fence }) => fence)).toEqual([2, 2]);
  const { table } = expiringLinks;
  for (const write of [assertHeld, deleteHeld])
    await expect(withTransaction((tx) => write(tx, table, stalled))).rejects.toThrow(ClaimLost);
  await unscopedRelease(expiringLinks, stalled, true);
  expect((await claims()).every(({ pause }) => (pause ?? 0) > 0)).toBe(true);
  await withTransaction((tx) => assertHeld(tx, table, taken));
});

test("a batch that fails is repeated row by row; only the row that fails waits, longer after each failure", async () => {
  const [bad] = await overdue(3);
  const calls: number[] = [];
  const job = {
    ...linkExpiry,
    backOffSeconds: [10, 35] as const,
    work: async (rows: { id: string }[], call: { requestId: string; stopping: AbortSignal }) => {
      calls.push(rows.length);
      if (rows.some(({ id }) => id === bad)) throw new Error("one row of these fails");
      await linkExpiry.work(rows as never, call);
    },
  };
  await runOnce(job);
  expect(calls).toEqual([3, 1, 1, 1]);
  const expired = await db.execute(sql`select id from payment_links where status = 'Expired'`);
  expect(expired.rowCount).toBe(2);
  const pauses: number[] = [];
  for (let tries = 0; tries < 4; tries++) {
    expect(await runOnce(job)).toBe(0);
    const row = (await claims()).find(({ id }) => id === bad);
    pauses.push(Math.ceil(row?.pause ?? 0));
    await db.execute(sql`update payment_links set leased_until = now() where id = ${bad}`);
    await runOnce(job);
  }
  expect(pauses).toEqual([10, 20, 35, 35]);
  await db.execute(sql`update payment_links set leased_until = now() where id = ${bad}`);
  await runOnce(linkExpiry);
  expect((await claims()).map(({ failures, pause }) => [failures, pause])).toEqual([
    [0, null],
    [0, null],
    [0, null],
  ]);
});

test("workers that poll at once share the rows: each is claimed once", async () => {
  await overdue(30);
  await unscopedBeat("w0", 0);
  await unscopedBeat("w1", 1);
  await unscopedBeat("w2", 2);
  const counts = await Promise.all(["w0", "w1", "w2"].map(claimAs));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(30);
  expect((await claims()).every(({ fence }) => fence <= 1)).toBe(true);
});

/** Two claimed rows by their ids. The row of the lower id lies behind the other one, and comes second among the claims too. */
async function claimedBackwards() {
  const [low, high] = (await overdue(2)).sort();
  const rows = await claimOf(expiringLinks, shop.ctx.businessId);
  await db.execute(sql`update payment_links set title = title || '.' where id = ${low}`);
  return { low, high, rows: rows.sort((one, other) => (one.id < other.id ? 1 : -1)) };
}

/** A transaction that has locked a link, as its work would. */
async function locking(id: string | undefined) {
  const client = await pool().connect();
  const lock = (other: string | undefined, nowait = "") =>
    client.query(`select from payment_links where id = $1 for no key update ${nowait}`, [other]);
  await client.query("begin");
  await lock(id);
  return {
    lock,
    async [Symbol.asyncDispose]() {
      await client.query("rollback");
      client.release();
    },
  };
}

test("leases are extended without waiting for a row that its work has locked", async () => {
  const { low, high, rows } = await claimedBackwards();
  await db.execute(sql`update payment_links set leased_until = now() + interval '10 seconds'`);
  {
    await using work = await locking(high);
    await unscopedExtend(expiringLinks.table, rows, 60);
    await work.lock(low, "nowait");
  }
  const pauses = new Map((await claims()).map(({ id, pause }) => [id, pause]));
  expect(pauses.get(high ?? "")).toBeLessThan(11);
  expect(pauses.get(low ?? "")).toBeGreaterThan(50);
});

const { table } = expiringLinks;
type Claims = Awaited<ReturnType<typeof claimedBackwards>>["rows"];
test.each<[string, (rows: Claims) => Promise<unknown>]>([
  ["released", (rows) => unscopedRelease(expiringLinks, rows, true)],
  ["put off", (rows) => unscopedBackOff(table, rows, [5, 10])],
  ["held", (rows) => withTransaction((tx) => assertHeld(tx, table, rows))],
  ["deleted", (rows) => withTransaction((tx) => deleteHeld(tx, table, rows))],
])("rows that are %s are locked in the order of their keys", async (_, write) => {
  const { low, high, rows } = await claimedBackwards();
  let writing: Promise<unknown>;
  {
    await using work = await locking(low);
    writing = write(rows);
    await expect
      .poll(async () => {
        const { rowCount } = await db.execute(
          sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return rowCount;
      })
      .toBe(1);
    // A statement that had locked this row first would wait for the other one, and this transaction for it.
    await expect(work.lock(high, "nowait")).resolves.toBeDefined();
  }
  await writing;
});
