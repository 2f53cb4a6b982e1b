import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import type { WebhookDelivery } from "@/lib/contract/webhooks";
import type { Ctx } from "@/lib/domain/context";
import { redeliver, redeliverEvent, replay } from "@/lib/domain/webhooks/deliveries";
import {
  dueEndpoints,
  type Outcome,
  unscopedClaimDeliveries,
  unscopedPurgeDeliveries,
  unscopedRecord,
} from "@/lib/domain/webhooks/delivery-rows";
import { remove, sendTest, update } from "@/lib/domain/webhooks/endpoints";
import { webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { createRecorder } from "@/lib/flows/webhook-delivery/recorder";
import { newId } from "@/lib/kernel/ids";
import { api, newTenant } from "../contract/setting";
import { claimOf, runAll } from "../run-once";
import { deliveriesOf, endpointAt, happen } from "./setting";

afterAll(closePool);

async function shop(endpoints: number) {
  const tenant = await newTenant();
  const ctx = tenant.ctx.test;
  const ids = await Promise.all(
    Array.from({ length: endpoints }, () => endpointAt(ctx, "https://example.com/")),
  );
  const [event = ""] = await happen(ctx);
  await runAll(webhookFanOut, ctx.businessId);
  return { ctx, key: tenant.keys.test, event, endpoint: ids[0]?.id ?? "" };
}

test("a delivery begins with the second of its event, and is one however often the event is read", async () => {
  const { ctx, event } = await shop(2);
  const before = await deliveriesOf(ctx);
  expect(before.map(({ id }) => id.slice(0, 8))).toEqual([event.slice(0, 8), event.slice(0, 8)]);
  await db.execute(
    sql`insert into event_queue (consumer, business_id, event_id) values ('webhooks', ${ctx.businessId}, ${event})`,
  );
  expect(await runAll(webhookFanOut, ctx.businessId)).toBe(1);
  expect(await deliveriesOf(ctx)).toEqual(before);
});

test("a delivery from before, with an id of its own, is started again and not made twice", async () => {
  const { ctx, event, endpoint } = await shop(1);
  const id = newId();
  await pool().query(
    "update webhook_deliveries set id = $2, status = 'delivered', next_try_at = null where business_id = $1",
    [ctx.businessId, id],
  );
  const { deliveries } = await redeliverEvent(ctx, event, {});
  expect(deliveries).toMatchObject([{ _id: id, status: "pending" }]);
  await pool().query(
    "update webhook_deliveries set status = 'delivered', next_try_at = null where business_id = $1",
    [ctx.businessId],
  );
  const range = { after: event, undelivered: false };
  const [later = ""] = await happen(ctx);
  expect(await replay(ctx, endpoint, range)).toMatchObject({ deliveries: 1 });
  expect(
    await replay(ctx, endpoint, { from: "1970-01-02T00:00:00Z", undelivered: false }),
  ).toMatchObject({ deliveries: 2 });
  expect((await deliveriesOf(ctx)).map((one) => [one.event_id, one.status]).sort()).toEqual(
    [
      [event, "pending"],
      [later, "pending"],
    ].sort(),
  );
});

test("deliveries that settled 60 days ago are forgotten with their attempts; later, pending and sent again ones stay", async () => {
  const { ctx } = await shop(4);
  const [old, pending, again] = await deliveriesOf(ctx);
  await pool().query(
    `insert into webhook_attempts (business_id, delivery_id, number, duration_ms, started_at) select business_id, id, 1, 5, now() from webhook_deliveries where business_id = $1`,
    [ctx.businessId],
  );
  await pool().query(
    "update webhook_deliveries set status = 'failed', next_try_at = null where business_id = $1 and id <> $2",
    [ctx.businessId, pending?.id],
  );
  const ago = "now() - interval '61 days'";
  await pool().query(
    "delete from webhook_attempts where business_id = $1 and delivery_id = any($2)",
    [ctx.businessId, [old?.id, pending?.id, again?.id]],
  );
  for (const [row, tail, changed] of [
    [old, "a", ago],
    [pending, "b", ago],
    [again, "c", "now()"],
  ] as const) {
    await pool().query(
      `update webhook_deliveries set created_at = ${ago}, updated_at = ${changed}, id = rpad(partition_bound('webhook_deliveries', ${ago}), 24, $3) where business_id = $1 and id = $2`,
      [ctx.businessId, row?.id, tail],
    );
    await pool().query(
      `insert into webhook_attempts (business_id, delivery_id, number, duration_ms, started_at) select business_id, id, 1, 5, now() from webhook_deliveries where business_id = $1 and id like $2`,
      [ctx.businessId, `%${tail.repeat(16)}`],
    );
  }
  while ((await unscopedPurgeDeliveries(60)) > 0);
  const left = await deliveriesOf(ctx);
  expect(left.map(({ status }) => status).sort()).toEqual(["failed", "failed", "pending"]);
  const { rows } = await pool().query<{ n: number }>(
    "select count(*)::int as n from webhook_attempts where business_id = $1",
    [ctx.businessId],
  );
  expect(rows[0]?.n).toBe(3);
});

const listed = async (key: string) =>
  ((await api("GET", "/webhook-deliveries", { key })).body.data as { data: WebhookDelivery[] })
    .data;

test("a delivery outlives its event: it is read without a body, and neither offered to be sent again nor sent", async () => {
  const { ctx, key } = await shop(1);
  const offered = async () => {
    const one = await api("GET", `/webhook-deliveries/${made?.id}`, { key });
    return [...(await listed(key)), one.body.data as WebhookDelivery].map(
      (delivery) => delivery.redeliverable,
    );
  };
  const [made] = await deliveriesOf(ctx);
  expect(await offered()).toEqual([true, true]);
  // As after its month was dropped.
  await db.execute(sql`
    update webhook_deliveries set event_id = ${newId()}, status = 'delivered', next_try_at = null where id = ${made?.id}`);
  const path = `/webhook-deliveries/${made?.id}`;
  const read = await api("GET", path, { key });
  expect(read).toMatchObject({ status: 200, body: { data: { body: null, status: "delivered" } } });
  const again = await api("POST", `${path}/redeliver`, { key });
  expect([again.status, again.body.message]).toEqual([
    409,
    "The event of this delivery is not kept any more.",
  ]);
  expect(await offered()).toEqual([false, false]);
  expect((await deliveriesOf(ctx)).map(({ status }) => status)).toEqual(["delivered"]);
});

test("a delivery is offered to be sent again while its endpoint takes events; that of a test event too, which is in no log", async () => {
  const { ctx, key, endpoint } = await shop(1);
  const { _id: id } = await sendTest(ctx, endpoint);
  const offered = async () =>
    (await listed(key)).map((delivery) => [delivery._id === id, delivery.redeliverable]);
  expect(await offered()).toEqual([
    [true, true],
    [false, true],
  ]);
  expect((await redeliver(ctx, id)).redeliverable).toBe(true);
  await update(ctx, endpoint, { enabled: false });
  expect((await offered()).map(([, can]) => can)).toEqual([false, false]);
  await update(ctx, endpoint, { enabled: true });
  await remove(ctx, endpoint);
  expect((await offered()).map(([, can]) => can)).toEqual([false, false]);
});

/** The outcome of an attempt at each delivery that is due. */
async function attempted({ businessId }: Ctx): Promise<Outcome[]> {
  const endpoints = await claimOf(dueEndpoints, businessId);
  const claimed = await Promise.all(endpoints.map((one) => unscopedClaimDeliveries(one, 10, 25)));
  const answer = { delivered: false, status: 503, error: null, response: "Maintenance", ms: 5 };
  const startedAt = new Date().toISOString();
  return claimed.flat().map((one) => ({ ...one, ...answer, startedAt, wait: 60 }));
}

test("an outcome whose delivery is locked is written once that is free, and keeps no other waiting", async () => {
  const { ctx } = await shop(3);
  const outcomes = await attempted(ctx);
  const attempts = async () => {
    const { rows } = await pool().query<{ attempts: number }>(
      "select attempts from webhook_deliveries where business_id = $1 order by attempts",
      [ctx.businessId],
    );
    return rows.map((row) => row.attempts);
  };
  const client = await pool().connect();
  const recorder = createRecorder();
  const written: Promise<void>[] = [];
  try {
    await client.query("begin");
    await client.query("select from webhook_deliveries where id = $1 for update", [
      outcomes[0]?.id,
    ]);
    // The first call travels alone.
    for (const outcome of outcomes.toReversed()) written.push(recorder.record(outcome));
    await Promise.all(written.slice(0, -1));
    expect(await attempts()).toEqual([0, 1, 1]);
  } finally {
    await client.query("rollback");
    client.release();
  }
  await Promise.all(written);
  expect(await attempts()).toEqual([1, 1, 1]);
});

test("an outcome that is written again, since the answer to its commit was lost, is one attempt", async () => {
  const { ctx } = await shop(1);
  const [outcome] = await attempted(ctx);
  if (!outcome) throw new Error("no delivery is due");
  for (let written = 0; written < 2; written++) await unscopedRecord([outcome]);
  const { rows } = await pool().query(
    `select d.attempts, d.tries, a.number, a.status_code from webhook_deliveries d join webhook_attempts a on a.business_id = d.business_id and a.delivery_id = d.id where d.business_id = $1`,
    [ctx.businessId],
  );
  expect(rows).toEqual([{ attempts: 1, tries: 1, number: 1, status_code: 503 }]);
});
