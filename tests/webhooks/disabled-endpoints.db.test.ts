import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { redeliver } from "@/lib/domain/webhooks/deliveries";
import { unscopedStopStranded } from "@/lib/domain/webhooks/delivery-rows";
import { webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { runOnce } from "../run-once";
import { get, remove, update } from "@/lib/domain/webhooks/endpoints";
import { answer } from "./receiver";
import { runnerOf, deliveriesOf, happen, states, until } from "./setting";
import { world } from "./world";

afterAll(closePool);

test("410 from an address it had before disables nothing", async () => {
  const { ctx, runner, endpoint } = await world(async (_, response) => {
    await update(ctx, endpoint.id, { url: "https://moved.example/" });
    response.writeHead(410).end();
  });
  await happen(ctx);
  await until(runner, () => states(ctx), { failed: 1 });
  await runner.stop();
  expect(await get(ctx, endpoint.id)).toMatchObject({ enabled: true, disabled_reason: null });
});

test("what was made for an endpoint in the moment it was disabled does not wait for ever", async () => {
  const { ctx, endpoint } = await world();
  await happen(ctx);
  await until({ poll: async () => 0 }, () => states(ctx), { pending: 1 });
  await db.execute(sql`update webhook_endpoints set enabled = false where id = ${endpoint.id}`);
  await unscopedStopStranded();
  expect(await states(ctx)).toEqual({ stopped: 1 });
});

test("410 disables the endpoint, says why, and stops what waits for it", async () => {
  const { ctx, receiver, runner, endpoint } = await world(answer(500));
  await happen(ctx, 3);
  await until(
    runnerOf(ctx, [3_600]),
    async () => (await deliveriesOf(ctx)).map(({ attempts }) => attempts),
    [1, 1, 1],
  );
  receiver.behave(answer(410));
  await happen(ctx);
  await until(runner, () => states(ctx), { stopped: 3, failed: 1 });
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
  await until(runner, () => states(ctx), { stopped: 3, failed: 1, delivered: 1 });
  expect(receiver.received.at(-1)?.id).toBe(after);
  expect(await get(ctx, endpoint.id)).toMatchObject({ enabled: true, disabled_reason: null });
});

test.each(["disabled", "deleted"])(
  "an endpoint that is %s while retries wait gets no more, and says so when asked to send again",
  async (how) => {
    const { ctx, receiver, runner, endpoint } = await world(answer(500));
    await happen(ctx, 2);
    await until(
      runnerOf(ctx, [3_600]),
      async () => (await deliveriesOf(ctx)).map(({ attempts }) => attempts),
      [1, 1],
    );
    if (how === "disabled") await update(ctx, endpoint.id, { enabled: false });
    else await remove(ctx, endpoint.id);
    expect(await states(ctx)).toEqual({ stopped: 2 });
    await happen(ctx);
    await runOnce(webhookFanOut);
    await runner.poll("test");
    await runner.stop();
    expect(receiver.received).toHaveLength(2);
    const [delivery] = await deliveriesOf(ctx);
    await expect(redeliver(ctx, delivery?.id ?? "")).rejects.toMatchObject({ status: 409 });
  },
);

test("a delivery under way when its endpoint is disabled is written down as it ends", async () => {
  let release: (() => void) | undefined;
  const { ctx, receiver, runner, endpoint } = await world((_, response) => {
    release = () => void response.writeHead(200).end();
  });
  await happen(ctx);
  await until(runner, () => receiver.received.length, 1);
  await update(ctx, endpoint.id, { enabled: false });
  expect(await states(ctx)).toEqual({ stopped: 1 });
  release?.();
  await runner.stop();
  expect(await deliveriesOf(ctx)).toMatchObject([{ status: "delivered", attempts: 1 }]);
});

test("events of the time in which an endpoint was disabled are never delivered, also when late commits coincide with enabling it", async () => {
  const { ctx, receiver, runner, endpoint } = await world();
  await update(ctx, endpoint.id, { enabled: false });
  const slow = await pool().connect();
  await slow.query("begin");
  await slow.query("select pg_current_xact_id()");
  await happen(ctx);
  await update(ctx, endpoint.id, { enabled: true });
  await slow.query("commit");
  slow.release();
  const [after] = await happen(ctx);
  await until(runner, () => states(ctx), { delivered: 1 });
  expect(receiver.received.map(({ id }) => id)).toEqual([after]);
});
