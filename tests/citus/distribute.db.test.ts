import { sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { db } from "@/db/client";
import { connectClient } from "@/db/connection";
import { distribute } from "@/db/distribute";
import { isDistributed } from "@/db/distributed";
import { spreadFunctions } from "@/db/spread-triggers";
import { erasePayer } from "@/lib/flows/erasure/steps";
import { remove } from "@/lib/flows/link-change/steps";
import { citusDistribute } from "@/lib/operator/citus";
import { assertBooksAgree, choose, newLink, newShop, press, type Shop } from "../money/setting";
import { refusedOnShards } from "../refused-on-shards";

vi.mock(import("@/db/connection"), { spy: true });

async function differences(shop: Shop): Promise<unknown[]> {
  const { businessId } = shop.ctx;
  const { rows } = await db.execute(sql`
    with links as (select status, count(*), sum(amount) as amount from payment_links where business_id = ${businessId} and deleted_at is null group by 1),
    counted as (select status, sum(count) as count, sum(amount) as amount from payment_link_counts where business_id = ${businessId} group by 1 having sum(count) <> 0),
    paid as (select status, count(*), sum(amount) as amount from payments where business_id = ${businessId} group by 1),
    counted_paid as (select status, sum(count) as count, sum(amount) as amount from payment_counts where business_id = ${businessId} group by 1 having sum(count) <> 0)
    select * from (table links except table counted) a union all select * from (table counted except table links) b
    union all select * from (table paid except table counted_paid) c union all select * from (table counted_paid except table paid) d`);
  return rows;
}

describe.skipIf(process.env.TEST_CITUS_URL)("on one server", () => {
  it("an install is not distributed, and it is said what is missing", async () => {
    await expect(distribute(8)).rejects.toThrow(
      "the database of DATABASE_URL has no Citus: load its library on every server of the cluster and run CREATE EXTENSION citus there",
    );
  });

  it("a database that a later version has changed is left to that version", async () => {
    const journal = sql.raw("drizzle.__drizzle_migrations");
    await db.execute(
      sql`insert into ${journal} (hash, created_at) values ('later', 9999999999999)`,
    );
    await expect(citusDistribute([])).rejects.toThrow("run this command with the later version");
    await db.execute(sql`delete from ${journal} where hash = 'later'`);
  });

  it("a process that started while an install was distributed knows it a minute later", async () => {
    const now = performance.now.bind(performance);
    let ahead = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + ahead);
    const minute = () => {
      ahead += 60_000;
    };
    try {
      expect(await isDistributed()).toBe(false);
      // What Citus keeps of a table that is distributed, as this server has no Citus.
      await db.execute(sql`set allow_system_table_mods = on;
        create table pg_catalog.pg_dist_partition as select 'payment_links'::regclass as logicalrelid`);
      expect(await isDistributed()).toBe(false);
      minute();
      await vi.waitFor(async () => expect(await isDistributed()).toBe(true));
      minute();
      await db.execute(
        sql`set allow_system_table_mods = on; drop table pg_catalog.pg_dist_partition`,
      );
      expect(await isDistributed()).toBe(true);
    } finally {
      clock.mockRestore();
    }
  });

  it("the change itself has no time limit: it may move all rows of a large install", async () => {
    const client = await connectClient();
    const query = client.query.bind(client) as typeof client.query;
    // What a Citus cluster says, as this server is none.
    const cluster: [RegExp, Record<string, unknown>][] = [
      [/extname = 'citus'/, { version: "13.0" }],
      [/pg_dist_local_group/, { here: true, coordinators: 1, workers: 1 }],
      [/max_prepared_transactions/, { node: "one:5432", prepared: "100" }],
    ];
    let limit: unknown;
    client.query = (async (text: string, values?: unknown[]) => {
      const known = cluster.find(([about]) => about.test(text));
      if (known) return { rows: [known[1]] };
      if (!text.startsWith("lock table")) return query(text, values);
      limit = (await query("show statement_timeout")).rows;
      throw new Error("far enough");
    }) as typeof client.query;
    vi.mocked(connectClient).mockResolvedValueOnce(client);
    await expect(distribute(8)).rejects.toThrow("far enough");
    expect(limit).toEqual([{ statement_timeout: "0" }]);
  });

  it("functions in the form for shards count, queue, keep and erase the same, with no update that a shard refuses", async () => {
    const client = await connectClient(undefined, {});
    await spreadFunctions(client).finally(() => client.end());
    const { rows: functions } = await db.execute<{ name: string; body: string }>(
      sql`select proname as name, prosrc as body from pg_proc where pronamespace = 'public'::regnamespace`,
    );
    const refused = functions.flatMap(({ name, body }) =>
      body.split(";").flatMap((one) => (refusedOnShards(one) ? [`${name}: ${one}`] : [])),
    );
    expect([functions.length > 20, refused]).toEqual([true, []]);
    const shop = await newShop();
    const { businessId } = shop.ctx;
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => newLink(shop)));
    await choose(shop, (await press(shop, first?._id ?? "")) as string, "approve");
    await choose(shop, (await press(shop, second?._id ?? "")) as string, "decline");
    await remove(shop.ctx, third?._id ?? "");
    await assertBooksAgree(shop);
    expect(await differences(shop)).toEqual([]);
    const { rows } = await db.execute<{ queued: number; events: number; customers: number }>(sql`
      select (select count(*)::int from event_queue where business_id = ${businessId} and consumer = 'webhooks') as queued,
        (select count(*)::int from events where business_id = ${businessId}) as events,
        (select count(*)::int from customers where business_id = ${businessId}) as customers`);
    expect(rows[0]).toMatchObject({ queued: rows[0]?.events, customers: 1 });
    await erasePayer(shop.ctx, "payer@example.com");
    const { rows: left } = await db.execute(
      sql`select email from payment_links where business_id = ${businessId} and email = 'payer@example.com' union all select email from customers where business_id = ${businessId}`,
    );
    expect(left).toEqual([]);
  });
});
