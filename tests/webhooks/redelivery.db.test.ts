import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { redeliver, redeliverEvent, replay } from "@/lib/domain/webhooks/deliveries";
import { unscopedPurgeDeliveries } from "@/lib/domain/webhooks/delivery-rows";
import { sendTest, update } from "@/lib/domain/webhooks/endpoints";
import { newId } from "@/lib/kernel/ids";
import { api, newTenant } from "../contract/setting";
import { answer, verified } from "./receiver";
import { deliveriesOf, endpointAt, happen, runnerOf, states, until } from "./setting";
import { openReceiver, world } from "./world";

afterAll(closePool);

test("a test event goes to that endpoint alone, once, and is in no log", async () => {
  const { ctx, tenant, receiver, runner, endpoint } = await world(answer(500));
  await endpointAt(ctx, receiver.url);
  const sent = await sendTest(ctx, endpoint.id);
  await until(runner, () => states(ctx), { failed: 1 });
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

test("an event is delivered again to all endpoints that take its type, or to the one that is named", async () => {
  const { ctx, receiver, runner, endpoint } = await world();
  const other = await endpointAt(ctx, receiver.url, ["package.deleted"]);
  const [id = ""] = await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 1 });
  expect(
    (await redeliverEvent(ctx, id, {})).deliveries.map((one) => [
      one.webhook_endpoint_id,
      one.status,
    ]),
  ).toEqual([[endpoint.id, "pending"]]);
  await until(runner, () => receiver.received.length, 2);
  expect(
    (await redeliverEvent(ctx, id, { webhook_endpoint_id: other.id })).deliveries.map(
      (one) => one.webhook_endpoint_id,
    ),
  ).toEqual([other.id]);
  await until(runner, () => receiver.received.length, 3);
  expect([...receiver.bodies().values()].map((bodies) => bodies.size)).toEqual([1]);
  await expect(redeliverEvent(ctx, id, { webhook_endpoint_id: newId() })).rejects.toMatchObject({
    status: 422,
  });
  await expect(redeliverEvent((await newTenant()).ctx.test, id, {})).rejects.toMatchObject({
    status: 404,
  });
});

test("a range of events goes to an endpoint, also to one made after them, as the same bytes", async () => {
  const { ctx, receiver, runner } = await world();
  const ids = await happen(ctx, 12);
  await until(runner, () => states(ctx), { delivered: 12 });
  const fresh = await openReceiver();
  const { id, secret } = await endpointAt(ctx, fresh.url);
  expect(await replay(ctx, id, { after: ids[1] })).toEqual({
    webhook_endpoint_id: id,
    deliveries: 10,
  });
  await until(runner, () => states(ctx), { delivered: 22 });
  expect(fresh.received.map((one) => one.id).sort()).toEqual(ids.slice(2).sort());
  for (const one of fresh.received) {
    verified(secret, one);
    expect([...(receiver.bodies().get(one.id) ?? [])]).toEqual([one.body]);
  }
  expect(
    await replay(ctx, id, { from: "2020-01-01T00:00:00.000000Z", undelivered: true }),
  ).toMatchObject({ deliveries: 2 });
  await until(runner, () => fresh.received.length, 12);
  expect(await replay(ctx, id, { from: "2020-01-01T00:00:00.000000Z" })).toMatchObject({
    deliveries: 12,
  });
  await until(runner, () => fresh.received.length, 24);
  expect(
    await replay(ctx, id, {
      from: "2020-01-01T00:00:00.000000Z",
      to: "2020-01-02T00:00:00.000000Z",
    }),
  ).toMatchObject({ deliveries: 0 });
  await expect(replay(ctx, id, {})).rejects.toMatchObject({ status: 422 });
  await expect(replay(ctx, id, { after: newId() })).rejects.toMatchObject({ status: 422 });
});

const EVER = { from: "2020-01-01T00:00:00.000000Z" };
const UNDELIVERED = { ...EVER, undelivered: true };

test("what was delivered once is left out, also when it was sent again in vain", async () => {
  const { ctx, receiver, runner, endpoint } = await world();
  await happen(ctx, 2);
  await until(runner, () => states(ctx), { delivered: 2 });
  receiver.behave(answer(500));
  expect(await replay(ctx, endpoint.id, EVER)).toMatchObject({ deliveries: 2 });
  await until(runner, () => states(ctx), { failed: 2 });
  expect(await replay(ctx, endpoint.id, UNDELIVERED)).toMatchObject({ deliveries: 0 });
  await replay(ctx, endpoint.id, EVER);
  await update(ctx, endpoint.id, { enabled: false });
  await update(ctx, endpoint.id, { enabled: true });
  expect(await states(ctx)).toEqual({ stopped: 2 });
  expect(await replay(ctx, endpoint.id, UNDELIVERED)).toMatchObject({ deliveries: 0 });
});

test("what was delivered is left out when its delivery is no longer kept", async () => {
  const { ctx, receiver, runner, endpoint } = await world();
  const ago = sql`now() - interval '61 days'`;
  await db.execute(sql`
    insert into events (business_id, mode, id, type, object_id, data, actor, created_at)
    select ${ctx.businessId}, 'test', rpad(partition_bound('events', ${ago}), 24, n::text), 'package.created', ${newId()}, '{}', '{"kind":"key"}', ${ago}
    from generate_series(1, 3) as n`);
  await until(runner, () => states(ctx), { delivered: 3 });
  await db.execute(
    sql`update webhook_endpoints set created_at = ${ago} where business_id = ${ctx.businessId}`,
  );
  await db.execute(
    sql`update webhook_deliveries set created_at = ${ago}, updated_at = ${ago} where business_id = ${ctx.businessId}`,
  );
  while ((await unscopedPurgeDeliveries(60)) > 0);
  expect(await deliveriesOf(ctx)).toEqual([]);
  receiver.behave(answer(500));
  await happen(ctx);
  await until(runner, () => states(ctx), { failed: 1 });
  expect(await replay(ctx, endpoint.id, UNDELIVERED)).toMatchObject({ deliveries: 1 });
  expect(await replay(ctx, endpoint.id, EVER)).toMatchObject({ deliveries: 4 });
  const fresh = await endpointAt(ctx, receiver.url);
  expect(await replay(ctx, fresh.id, UNDELIVERED)).toMatchObject({ deliveries: 4 });
});

test.each([
  ["a delivery", 1],
  ["a delivery", 2],
  ["an event", 2],
  ["a range", 2],
])(
  "%s that is sent again while attempt %i, the last one, is under way begins anew after it",
  async (what, last) => {
    const { ctx, receiver } = await world();
    const sendAgain = async () => {
      const [{ id, event_id, endpoint_id } = { id: "", event_id: "", endpoint_id: "" }] =
        await deliveriesOf(ctx);
      if (what === "a delivery") await redeliver(ctx, id);
      else if (what === "an event") await redeliverEvent(ctx, event_id, {});
      else await replay(ctx, endpoint_id, EVER);
    };
    receiver.behave((received, response, times) => {
      const respond = () => answer(times > last ? 200 : 500)(received, response, times);
      void (times === last ? sendAgain() : Promise.resolve()).then(respond);
    });
    await happen(ctx);
    const schedule = Array.from({ length: last - 1 }, () => 0.02);
    await until(runnerOf(ctx, schedule), () => states(ctx), { delivered: 1 });
    expect(await deliveriesOf(ctx)).toMatchObject([{ attempts: last + 1, tries: 1 }]);
  },
);
