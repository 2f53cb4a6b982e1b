import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, type Tx, withTransaction } from "@/db/client";
import { create as createLink } from "@/lib/domain/payment-links/create";
import { enqueuePaid, enqueueWaiting } from "@/lib/domain/subscriptions/enqueue-rows";
import { flagPayments, settleVoid } from "@/lib/domain/subscriptions/follow-rows";
import { dueAtOnce, type Renewals } from "@/scripts/prove/parts/renewals";

afterAll(closePool);

const SUBSCRIPTIONS = 5_000;
const BATCH = 20;

/** A payment and a link for each period of the renewals, as if all had been charged. */
async function charged({ ctx }: Renewals): Promise<void> {
  const { businessId } = ctx;
  await db.execute(sql`
    insert into payments (business_id, mode, id, status, amount, currency, title, gateway, subscription_id, period_start)
    select business_id, mode, 'p' || subscription_id, 'cancelled', 100, 'MYR', 'Membership', 'simulator', subscription_id, period_start
    from subscription_periods where business_id = ${businessId}`);
  const link = await createLink(ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed every month",
    amount: 1_250,
    currency: "MYR",
  });
  await db.execute(sql`
    insert into payment_links
    select (jsonb_populate_record(l, jsonb_build_object('id', 'l' || s.id, 'subscription_id', s.id))).*
    from payment_links l, subscriptions s where l.business_id = ${businessId} and s.business_id = ${businessId} and l.id = ${link._id}`);
  await db.execute(
    sql`update subscription_periods set payment_id = 'p' || subscription_id, payment_link_id = 'l' || subscription_id, state = 'charging' where business_id = ${businessId}`,
  );
}

/** Rows that whole scans of these tables have read, by this connection so far. */
async function scanned(tx: Tx): Promise<number> {
  const { rows } = await tx.execute<{ read: number }>(
    sql`select sum(seq_tup_read)::int as read from pg_stat_xact_user_tables where relname in ('payments', 'payment_links', 'subscription_periods')`,
  );
  return rows[0]?.read ?? 0;
}

test("the outcomes of a batch are followed by reading its rows alone, however many there are", async () => {
  const renewals = await dueAtOnce(SUBSCRIPTIONS);
  await charged(renewals);
  await db.execute(sql`analyze`);
  const { businessId } = renewals.ctx;
  const { rows } = await db.execute<{ id: string }>(
    sql`select subscription_id as id from subscription_periods where business_id = ${businessId} limit ${BATCH}`,
  );
  const [payments, links] = ["p", "l"].map((kind) => rows.map(({ id }) => kind + id));
  await withTransaction(async (tx) => {
    const before = await scanned(tx);
    // A backend keeps the plan for all values after some calls, so each is called more often than that.
    for (let call = 0; call < 8; call++) {
      expect(await enqueueWaiting(tx, businessId, payments ?? [])).toHaveLength(BATCH);
      expect(await enqueuePaid(tx, businessId, links ?? [])).toHaveLength(BATCH);
      await settleVoid(tx, businessId, payments ?? []);
      expect(await flagPayments(tx, businessId, payments ?? [])).toEqual([]);
    }
    expect((await scanned(tx)) - before).toBe(0);
  });
});
