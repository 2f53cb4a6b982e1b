import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { get as getEvent } from "@/lib/domain/events/get";
import { get as getDelivery, redeliver } from "@/lib/domain/webhooks/deliveries";
import { defineWebhookDelivery, webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { runOnce } from "../run-once";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { rotate } from "@/lib/domain/webhooks/endpoints";
import { insertEvent } from "@/lib/domain/events/rows";
import { createRunner } from "@/lib/jobs/runner";
import { newId } from "@/lib/kernel/ids";
import { newTenant } from "../contract/setting";
import { answer, verified } from "./receiver";
import { runnerOf, deliveriesOf, endpointAt, happen, states, until } from "./setting";
import { world } from "./world";

afterAll(closePool);

test("an event arrives as the API shows it, signed, under its id, and no other business's does", async () => {
  const { ctx, tenant, receiver, runner, endpoint } = await world();
  await happen(tenant.ctx.live);
  await happen((await newTenant()).ctx.test);
  const [id = ""] = await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 1 });
  expect(receiver.received).toHaveLength(1);
  const [one] = receiver.received;
  if (!one) throw new Error("nothing came");
  expect(verified(endpoint.secret, one)).toEqual(await getEvent(ctx, id));
  expect(JSON.parse(one.body)).toMatchObject({ _id: id, mode: "test" });
  expect(one.id).toBe(id);
  expect(one.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": "Kutip-Webhooks/1",
  });
  expect(() => verified(`whsec_${"A".repeat(44)}`, one)).toThrow();
});

test("only the event types that the endpoint takes, and only events after its creation", async () => {
  const { ctx, runner, receiver } = await world();
  const { id } = await endpointAt(ctx, receiver.url, ["package.deleted"]);
  await happen(ctx, 2);
  const [wanted] = await happen(ctx, 1, "package.deleted");
  await until(runner, () => states(ctx), { delivered: 4 });
  expect(
    (await deliveriesOf(ctx))
      .filter(({ endpoint_id }) => endpoint_id === id)
      .map(({ event_id }) => event_id),
  ).toEqual([wanted]);
  const late = await endpointAt(ctx, receiver.url);
  await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 6 });
  expect(
    (await deliveriesOf(ctx)).filter(({ endpoint_id }) => endpoint_id === late.id),
  ).toHaveLength(1);
});

test("every retry is the same bytes under the same id with a signature of its moment, until it is taken", async () => {
  const { ctx, receiver, runner, endpoint } = await world(
    (_, response, times) => void response.writeHead(times < 4 ? 500 : 204).end("no"),
  );
  const [id = ""] = await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 1 });
  expect(receiver.received.map((one) => [one.id, one.body])).toEqual(
    Array.from({ length: 4 }, () => [id, receiver.received[0]?.body]),
  );
  for (const one of receiver.received) verified(endpoint.secret, one);
  const [delivery] = await deliveriesOf(ctx);
  const shown = await getDelivery(ctx, delivery?.id ?? "");
  expect(shown).toMatchObject({
    status: "delivered",
    attempts: 4,
    last_status_code: 204,
    last_error: null,
    next_attempt_at: null,
    url: receiver.url,
    body: receiver.received[0]?.body,
  });
  expect(
    shown.history.map(({ number, status_code, error, response }) => [
      number,
      status_code,
      error,
      response,
    ]),
  ).toEqual([
    [4, 204, null, null],
    [3, 500, "It answered 500.", "no"],
    [2, 500, "It answered 500.", "no"],
    [1, 500, "It answered 500.", "no"],
  ]);
});

test("after ten attempts it is exhausted, and a resend starts a new schedule", async () => {
  const { ctx, receiver, runner } = await world(answer(503));
  await happen(ctx);
  await until(runner, () => states(ctx), { failed: 1 });
  expect(receiver.received).toHaveLength(10);
  const [delivery] = await deliveriesOf(ctx);
  expect(delivery).toMatchObject({ attempts: 10, last_error: "It answered 503." });
  receiver.behave((_, response, times) => void response.writeHead(times < 12 ? 500 : 200).end());
  expect(await redeliver(ctx, delivery?.id ?? "")).toMatchObject({
    status: "pending",
    attempts: 10,
  });
  await until(runner, () => states(ctx), { delivered: 1 });
  expect(await deliveriesOf(ctx)).toMatchObject([{ attempts: 12, tries: 2 }]);
  await redeliver(ctx, delivery?.id ?? "");
  await until(runner, async () => (await deliveriesOf(ctx))[0]?.attempts, 13);
  expect(receiver.bodies().size).toBe(1);
});

test("both secrets sign after a rotation, and the old one no longer once its day is over", async () => {
  const { ctx, receiver, runner, endpoint } = await world();
  const { secret } = await rotate(ctx, endpoint.id);
  await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 1 });
  const [both] = receiver.received;
  if (!both) throw new Error("nothing came");
  expect(verified(secret, both)).toEqual(verified(endpoint.secret, both));
  await db.execute(
    sql`update webhook_endpoints set previous_until = now() where id = ${endpoint.id}`,
  );
  await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 2 });
  const one = receiver.received[1];
  if (!one) throw new Error("nothing came");
  verified(secret, one);
  expect(() => verified(endpoint.secret, one)).toThrow();
});

test("a second rotation within the day leaves the first secret its own day", async () => {
  const { ctx, receiver, runner, endpoint } = await world();
  const secrets = [endpoint.secret];
  for (let rotated = 0; rotated < 2; rotated++)
    secrets.unshift((await rotate(ctx, endpoint.id)).secret);
  await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 1 });
  const [all] = receiver.received;
  if (!all) throw new Error("nothing came");
  for (const secret of secrets) verified(secret, all);
  await db.execute(
    sql`update webhook_endpoints set earlier_until = now() where id = ${endpoint.id}`,
  );
  await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 2 });
  const two = receiver.received[1];
  if (!two) throw new Error("nothing came");
  for (const secret of secrets.slice(0, 2)) verified(secret, two);
  expect(() => verified(endpoint.secret, two)).toThrow();
});

test("a change that commits late is delivered too, and holds up none of those that commit before it", async () => {
  const { ctx, receiver, runner } = await world();
  const slow = await pool().connect();
  await slow.query("begin");
  await slow.query(
    `insert into events (business_id, mode, id, type, object_id, data, actor) values ($1, 'test', $2, 'package.created', $2, '{"late":true}', '{"kind":"key"}')`,
    [ctx.businessId, newId()],
  );
  const quick = await happen(ctx, 3);
  await runOnce(webhookFanOut);
  expect((await deliveriesOf(ctx)).map((delivery) => delivery.event_id).sort()).toEqual(
    [...quick].sort(),
  );
  await slow.query("commit");
  slow.release();
  await until(runner, () => states(ctx), { delivered: 4 });
  expect(
    receiver.received
      .map(({ id }) => id)
      .filter((id) => quick.includes(id))
      .sort(),
  ).toEqual([...quick].sort());
  expect(receiver.received).toHaveLength(4);
});

test("what happened under a test clock is delivered on real time", async () => {
  const { ctx, receiver, runner } = await world();
  await insertEvent({ ...ctx, now: "2035-01-31T09:00:00.000000Z" }, db, {
    type: "package.created",
    objectId: newId(),
    data: {},
  });
  await until(runner, () => states(ctx), { delivered: 1 });
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
    created_at: "2035-01-31T09:00:00.000000Z",
  });
});

test("two workers deliver each event once and never more than four at a time to an endpoint", async () => {
  let [now, most] = [0, 0];
  const { ctx, receiver, runner } = await world((_, response) => {
    most = Math.max(most, ++now);
    setImmediate(() => {
      now--;
      response.writeHead(200).end();
    });
  });
  const second = runnerOf(ctx);
  const ids = await happen(ctx, 150);
  await until(
    { poll: async (id) => (await runner.poll(id)) + (await second.poll(id)) },
    () => states(ctx),
    { delivered: 150 },
  );
  expect(receiver.received.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(most).toBeLessThanOrEqual(4);
});

test("a worker gives a busy endpoint back while much is still due, with nothing under way, and it goes on at once", async () => {
  const { ctx, receiver } = await world();
  const job = defineWebhookDelivery({ sender: createSender({ allowPrivate: true }), turnMs: 0 });
  const runner = createRunner(job, { only: ctx.businessId });
  await happen(ctx, 30);
  await runOnce(webhookFanOut);
  await runner.poll("test");
  await runner.drain();
  const { delivered = 0, pending = 0 } = await states(ctx);
  expect(delivered).toBeGreaterThan(0);
  expect(pending).toBeGreaterThan(0);
  expect(receiver.received).toHaveLength(delivered);
  const { rows } = await db.execute(
    sql`select leased_until from webhook_endpoints where business_id = ${ctx.businessId} union all select leased_until from webhook_deliveries where business_id = ${ctx.businessId} and leased_until is not null`,
  );
  expect(rows).toEqual([{ leased_until: null }]);
  await until(runner, () => states(ctx), { delivered: 30 });
  expect(receiver.received).toHaveLength(30);
});

test("the address is checked at every attempt: an endpoint in a private network is refused, retried and exhausted", async () => {
  const { ctx, receiver } = await world();
  const strict = runnerOf(ctx, [0.02, 0.02], createSender({ allowPrivate: false }));
  await happen(ctx);
  await until(strict, () => states(ctx), { failed: 1 });
  expect(await deliveriesOf(ctx)).toMatchObject([
    { attempts: 3, last_error: "The url must begin with https." },
  ]);
  expect(receiver.received).toEqual([]);
});
