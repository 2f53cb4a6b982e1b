import { sql } from "drizzle-orm";
import { afterAll, afterEach, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { get as getEvent } from "@/lib/domain/events/get";
import {
  get as getDelivery,
  redeliver,
  redeliverEvent,
  replay,
} from "@/lib/domain/webhooks/deliveries";
import { createCourier } from "@/lib/domain/webhooks/engine/courier";
import { unscopedStopStranded } from "@/lib/domain/webhooks/engine/rows";
import { fanOut } from "@/lib/domain/webhooks/engine/fan-out";
import { createSender } from "@/lib/domain/webhooks/engine/sender";
import { get, remove, rotate, sendTest, update } from "@/lib/domain/webhooks/endpoints";
import { insertEvent } from "@/lib/domain/events/rows";
import { newId } from "@/lib/kernel/ids";
import { api, newTenant } from "../contract/setting";
import { answer, newReceiver, type Receiver, verified } from "./receiver";
import { courierOf, deliveriesOf, endpointAt, happen, states, until } from "./setting";

const open: Receiver[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((receiver) => receiver.close()));
});
afterAll(closePool);

async function world(behaviour = answer(200)) {
  const tenant = await newTenant();
  const receiver = await newReceiver(behaviour);
  open.push(receiver);
  const ctx = tenant.ctx.test;
  return {
    tenant,
    ctx,
    receiver,
    courier: courierOf(ctx),
    endpoint: await endpointAt(ctx, receiver.url),
  };
}

test("an event arrives as the API shows it, signed, under its id, and nobody else's does", async () => {
  const { ctx, tenant, receiver, courier, endpoint } = await world();
  await happen(tenant.ctx.live);
  await happen((await newTenant()).ctx.test);
  const [id = ""] = await happen(ctx);
  await until(courier, () => states(ctx), { delivered: 1 });
  expect(receiver.received).toHaveLength(1);
  const [one] = receiver.received;
  if (!one) throw new Error("nothing came");
  expect(verified(endpoint.secret, one)).toEqual(await getEvent(ctx, id));
  expect(one.id).toBe(id);
  expect(one.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": "Kutip-Webhooks/1",
  });
  expect(() => verified(`whsec_${"A".repeat(44)}`, one)).toThrow();
});

test("only types the endpoint is told of, and only what happens after it was made", async () => {
  const { ctx, courier, receiver } = await world();
  const { id } = await endpointAt(ctx, receiver.url, ["package.deleted"]);
  await happen(ctx, 2);
  const [wanted] = await happen(ctx, 1, "package.deleted");
  await until(courier, () => states(ctx), { delivered: 4 });
  expect(
    (await deliveriesOf(ctx))
      .filter(({ endpoint_id }) => endpoint_id === id)
      .map(({ event_id }) => event_id),
  ).toEqual([wanted]);
  const late = await endpointAt(ctx, receiver.url);
  await happen(ctx);
  await until(courier, () => states(ctx), { delivered: 6 });
  expect(
    (await deliveriesOf(ctx)).filter(({ endpoint_id }) => endpoint_id === late.id),
  ).toHaveLength(1);
});

test("every retry is the same bytes under the same id with a signature of its moment, until it is taken", async () => {
  const { ctx, receiver, courier, endpoint } = await world(
    (_, response, times) => void response.writeHead(times < 4 ? 500 : 204).end("no"),
  );
  const [id = ""] = await happen(ctx);
  await until(courier, () => states(ctx), { delivered: 1 });
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

test("after ten attempts it is given up, and sent again with a schedule of its own when somebody asks", async () => {
  const { ctx, receiver, courier } = await world(answer(503));
  await happen(ctx);
  await until(courier, () => states(ctx), { failed: 1 });
  expect(receiver.received).toHaveLength(10);
  const [delivery] = await deliveriesOf(ctx);
  expect(delivery).toMatchObject({ attempts: 10, last_error: "It answered 503." });
  receiver.behave((_, response, times) => void response.writeHead(times < 12 ? 500 : 200).end());
  expect(await redeliver(ctx, delivery?.id ?? "")).toMatchObject({
    status: "pending",
    attempts: 10,
  });
  await until(courier, () => states(ctx), { delivered: 1 });
  expect(await deliveriesOf(ctx)).toMatchObject([{ attempts: 12, tries: 2 }]);
  await redeliver(ctx, delivery?.id ?? "");
  await until(courier, async () => (await deliveriesOf(ctx))[0]?.attempts, 13);
  expect(receiver.bodies().size).toBe(1);
});

test("both secrets sign after a rotation, and the old one no longer once its day is over", async () => {
  const { ctx, receiver, courier, endpoint } = await world();
  const { secret } = await rotate(ctx, endpoint.id);
  await happen(ctx);
  await until(courier, () => states(ctx), { delivered: 1 });
  const [both] = receiver.received;
  if (!both) throw new Error("nothing came");
  expect(verified(secret, both)).toEqual(verified(endpoint.secret, both));
  await db.execute(
    sql`update webhook_endpoints set previous_until = now() where id = ${endpoint.id}`,
  );
  await happen(ctx);
  await until(courier, () => states(ctx), { delivered: 2 });
  const one = receiver.received[1];
  if (!one) throw new Error("nothing came");
  verified(secret, one);
  expect(() => verified(endpoint.secret, one)).toThrow();
});

test("410 from an address it had before disables nothing", async () => {
  const { ctx, courier, endpoint } = await world(async (_, response) => {
    await update(ctx, endpoint.id, { url: "https://moved.example/" });
    response.writeHead(410).end();
  });
  await happen(ctx);
  await until(courier, () => states(ctx), { failed: 1 });
  await courier.rest();
  expect(await get(ctx, endpoint.id)).toMatchObject({ enabled: true, disabled_reason: null });
});

test("what was made for an endpoint in the moment it was disabled does not wait for ever", async () => {
  const { ctx, endpoint } = await world();
  await happen(ctx);
  await until({ turn: async () => 0, rest: async () => undefined }, () => states(ctx), {
    pending: 1,
  });
  await db.execute(sql`update webhook_endpoints set enabled = false where id = ${endpoint.id}`);
  await unscopedStopStranded();
  expect(await states(ctx)).toEqual({ stopped: 1 });
});

test("410 disables the endpoint, says why, and stops what waits for it", async () => {
  const { ctx, receiver, courier, endpoint } = await world(answer(500));
  await happen(ctx, 3);
  await until(
    courierOf(ctx, [3_600]),
    async () => (await deliveriesOf(ctx)).map(({ attempts }) => attempts),
    [1, 1, 1],
  );
  receiver.behave(answer(410));
  await happen(ctx);
  await until(courier, () => states(ctx), { stopped: 3, failed: 1 });
  expect(await get(ctx, endpoint.id)).toMatchObject({ enabled: false, disabled_reason: "gone" });
  const { rows } = await db.execute(
    sql`select action, object_id, actor_kind from audit_entries where business_id = ${ctx.businessId}`,
  );
  expect(rows).toEqual([
    { action: "disableWebhookEndpoint", object_id: endpoint.id, actor_kind: "clock" },
  ]);
  await happen(ctx);
  await update(ctx, endpoint.id, { enabled: true });
  receiver.behave(answer(200));
  const [after] = await happen(ctx);
  await until(courier, () => states(ctx), { stopped: 3, failed: 1, delivered: 1 });
  expect(receiver.received.at(-1)?.id).toBe(after);
  expect(await get(ctx, endpoint.id)).toMatchObject({ enabled: true, disabled_reason: null });
});

test.each(["disabled", "deleted"])(
  "an endpoint that is %s while retries wait gets no more, and says so when asked to send again",
  async (how) => {
    const { ctx, receiver, courier, endpoint } = await world(answer(500));
    await happen(ctx, 2);
    await until(
      courierOf(ctx, [3_600]),
      async () => (await deliveriesOf(ctx)).map(({ attempts }) => attempts),
      [1, 1],
    );
    if (how === "disabled") await update(ctx, endpoint.id, { enabled: false });
    else await remove(ctx, endpoint.id);
    expect(await states(ctx)).toEqual({ stopped: 2 });
    await happen(ctx);
    await fanOut(1_000);
    await courier.turn();
    await courier.rest();
    expect(receiver.received).toHaveLength(2);
    const [delivery] = await deliveriesOf(ctx);
    await expect(redeliver(ctx, delivery?.id ?? "")).rejects.toMatchObject({ status: 409 });
  },
);

test("a delivery under way when its endpoint is disabled is written down as it ends", async () => {
  let release: (() => void) | undefined;
  const { ctx, receiver, courier, endpoint } = await world((_, response) => {
    release = () => void response.writeHead(200).end();
  });
  await happen(ctx);
  await until(courier, () => receiver.received.length, 1);
  await update(ctx, endpoint.id, { enabled: false });
  expect(await states(ctx)).toEqual({ stopped: 1 });
  release?.();
  await courier.rest();
  expect(await deliveriesOf(ctx)).toMatchObject([{ status: "delivered", attempts: 1 }]);
});

test("a change that commits late is delivered too, and none before it are skipped or doubled", async () => {
  const { ctx, receiver, courier } = await world();
  const slow = await pool().connect();
  await slow.query("begin");
  await slow.query(
    `insert into events (business_id, mode, id, type, object_id, data, actor) values ($1, 'test', $2, 'package.created', $2, '{"late":true}', '{"kind":"key"}')`,
    [ctx.businessId, newId()],
  );
  const quick = await happen(ctx, 3);
  await fanOut(1_000);
  expect(await deliveriesOf(ctx)).toEqual([]);
  await slow.query("commit");
  slow.release();
  await until(courier, () => states(ctx), { delivered: 4 });
  expect(
    receiver.received
      .map(({ id }) => id)
      .filter((id) => quick.includes(id))
      .sort(),
  ).toEqual([...quick].sort());
  expect(receiver.received).toHaveLength(4);
});

test("what happened while an endpoint was disabled is not told, whatever else was under way when it was enabled again", async () => {
  const { ctx, receiver, courier, endpoint } = await world();
  await update(ctx, endpoint.id, { enabled: false });
  const slow = await pool().connect();
  await slow.query("begin");
  await slow.query("select pg_current_xact_id()");
  await happen(ctx);
  await update(ctx, endpoint.id, { enabled: true });
  await slow.query("commit");
  slow.release();
  const [after] = await happen(ctx);
  await until(courier, () => states(ctx), { delivered: 1 });
  expect(receiver.received.map(({ id }) => id)).toEqual([after]);
});

test("what happened under a test clock is delivered on real time", async () => {
  const { ctx, receiver, courier } = await world();
  await insertEvent({ ...ctx, now: "2035-01-31T09:00:00.000000Z" }, db, {
    type: "package.created",
    objectId: newId(),
    data: {},
  });
  await until(courier, () => states(ctx), { delivered: 1 });
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
    created_at: "2035-01-31T09:00:00.000000Z",
  });
});

test("a test event goes to that endpoint alone, once, and is in no log", async () => {
  const { ctx, tenant, receiver, courier, endpoint } = await world(answer(500));
  await endpointAt(ctx, receiver.url);
  const sent = await sendTest(ctx, endpoint.id);
  await until(courier, () => states(ctx), { failed: 1 });
  expect(receiver.received).toHaveLength(1);
  const [one] = receiver.received;
  if (!one) throw new Error("nothing came");
  expect(verified(endpoint.secret, one)).toMatchObject({
    _id: sent.event_id,
    type: "webhook_endpoint.test",
    data: { _id: endpoint.id, url: receiver.url },
  });
  expect((await api("GET", `/events/${sent.event_id}`, { key: tenant.keys.test })).status).toBe(
    404,
  );
  await update(ctx, endpoint.id, { enabled: false });
  await expect(sendTest(ctx, endpoint.id)).rejects.toMatchObject({ status: 409 });
});

test("an event is delivered again to all that are told of it, or to the one that is named", async () => {
  const { ctx, receiver, courier, endpoint } = await world();
  const other = await endpointAt(ctx, receiver.url, ["package.deleted"]);
  const [id = ""] = await happen(ctx);
  await until(courier, () => states(ctx), { delivered: 1 });
  expect(
    (await redeliverEvent(ctx, id, {})).deliveries.map((one) => [
      one.webhook_endpoint_id,
      one.status,
    ]),
  ).toEqual([[endpoint.id, "pending"]]);
  await until(courier, () => receiver.received.length, 2);
  expect(
    (await redeliverEvent(ctx, id, { webhook_endpoint_id: other.id })).deliveries.map(
      (one) => one.webhook_endpoint_id,
    ),
  ).toEqual([other.id]);
  await until(courier, () => receiver.received.length, 3);
  expect([...receiver.bodies().values()].map((bodies) => bodies.size)).toEqual([1]);
  await expect(redeliverEvent(ctx, id, { webhook_endpoint_id: newId() })).rejects.toMatchObject({
    status: 422,
  });
  await expect(redeliverEvent((await newTenant()).ctx.test, id, {})).rejects.toMatchObject({
    status: 404,
  });
});

test("a range of events goes to an endpoint, also to one made after them, as the same bytes", async () => {
  const { ctx, receiver, courier } = await world();
  const ids = await happen(ctx, 12);
  await until(courier, () => states(ctx), { delivered: 12 });
  const fresh = await newReceiver();
  open.push(fresh);
  const { id, secret } = await endpointAt(ctx, fresh.url);
  expect(await replay(ctx, id, { after: ids[1] })).toEqual({
    webhook_endpoint_id: id,
    deliveries: 10,
  });
  await until(courier, () => states(ctx), { delivered: 22 });
  expect(fresh.received.map((one) => one.id).sort()).toEqual(ids.slice(2).sort());
  for (const one of fresh.received) {
    verified(secret, one);
    expect([...(receiver.bodies().get(one.id) ?? [])]).toEqual([one.body]);
  }
  expect(
    await replay(ctx, id, { from: "2020-01-01T00:00:00.000000Z", undelivered: true }),
  ).toMatchObject({ deliveries: 2 });
  await until(courier, () => fresh.received.length, 12);
  expect(await replay(ctx, id, { from: "2020-01-01T00:00:00.000000Z" })).toMatchObject({
    deliveries: 12,
  });
  await until(courier, () => fresh.received.length, 24);
  expect(
    await replay(ctx, id, {
      from: "2020-01-01T00:00:00.000000Z",
      to: "2020-01-02T00:00:00.000000Z",
    }),
  ).toMatchObject({ deliveries: 0 });
  await expect(replay(ctx, id, {})).rejects.toMatchObject({ status: 422 });
  await expect(replay(ctx, id, { after: newId() })).rejects.toMatchObject({ status: 422 });
});

test("two workers deliver each event once and never more than four at a time to an endpoint", async () => {
  let [now, most] = [0, 0];
  const { ctx, receiver, courier } = await world((_, response) => {
    most = Math.max(most, ++now);
    setImmediate(() => {
      now--;
      response.writeHead(200).end();
    });
  });
  const second = courierOf(ctx);
  const ids = await happen(ctx, 150);
  await until(
    { turn: async () => (await courier.turn()) + (await second.turn()), rest: courier.rest },
    () => states(ctx),
    { delivered: 150 },
  );
  expect(receiver.received.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(most).toBeLessThanOrEqual(4);
});

test("the address is checked at every attempt: an endpoint in a private network is refused, retried and given up", async () => {
  const { ctx, receiver } = await world();
  const strict = createCourier({
    sender: createSender({ allowPrivate: false }),
    retrySeconds: [0.02, 0.02],
    businessId: ctx.businessId,
  });
  await happen(ctx);
  await until(strict, () => states(ctx), { failed: 1 });
  expect(await deliveriesOf(ctx)).toMatchObject([
    { attempts: 3, last_error: "The url must begin with https." },
  ]);
  expect(receiver.received).toEqual([]);
});
