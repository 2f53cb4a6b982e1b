import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db, withTransaction } from "@/db/client";
import { expiringLinks } from "@/lib/domain/payment-links/rows";
import { linkExpiry } from "@/lib/flows/expiry/job";
import { assertHeld, ClaimLost, deleteHeld, unscopedRelease } from "@/lib/jobs/claim-rows";
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

test("a worker's claims are free 20 seconds after its last heartbeat, and at once when it stops in order", async () => {
  await overdue(1);
  await unscopedBeat("first", 1);
  expect(await claimAs("first")).toBe(1);
  expect(await runOnce(linkExpiry)).toBe(0);
  await db.execute(sql`update workers set seen_at = now() - interval '19 seconds'`);
  expect(await runOnce(linkExpiry)).toBe(0);
  await db.execute(sql`update workers set seen_at = now() - interval '21 seconds'`);
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
