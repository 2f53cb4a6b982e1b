import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { provideLimits } from "@/db/limits";
import { provideEnv } from "@/lib/env";
import {
  dueCallbacks,
  recordOutcome,
  resumeCallbacks,
} from "@/lib/domain/integrations/callback-rows";
import { changeHook } from "@/lib/domain/integrations/hook-rows";
import { callbacks, revoke } from "@/lib/domain/integrations/manage";
import { lockIntegration } from "@/lib/domain/integrations/rows";
import { defineCallbackDelivery } from "@/lib/flows/shop-callbacks/job";
import { deliverCallback } from "@/lib/flows/shop-callbacks/steps";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { lockUntilMissed, waitBriefly } from "../missed-lock";
import { claimOf, runOnce } from "../run-once";
import { answer, newReceiver, type Receiver } from "../webhooks/receiver";
import {
  accept,
  connect,
  createLink,
  deliver,
  makeDue,
  ok,
  payer,
  type Plugin,
  setWebhook,
  v1,
} from "./setting";

provideEnv({ RATE_LIMIT_SIGN_IN: "0", WEBHOOK_ALLOW_PRIVATE: "1" });
afterAll(closePool);

let shop: Receiver;
beforeEach(async () => {
  shop = await newReceiver(answer(200, "Swipe IPN webhook success"));
});
afterEach(async () => {
  provideLimits();
  await shop.close();
});

const order = (reference: number) =>
  `{"email":"siti@example.com","currency":"MYR","amount":"50.00","title":"Kedai","reference":${reference},"reference_2":"woocommerce"}`;
const listed = async ({ ctx, id }: Plugin) =>
  (await callbacks(ctx, id, {}, new URLSearchParams())).data;

async function paid(plugin: Plugin, reference = 1): Promise<string> {
  const link = await createLink(plugin, order(reference));
  await payer(plugin, link._id, "approve");
  return link._id;
}

test("a shop that is away gets the same bytes three times, ever later, and then no more", async () => {
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  shop.behave(answer(503, "Maintenance"));
  await paid(plugin);
  for (let attempt = 1; attempt <= 5; attempt++) {
    await deliver(plugin);
    // Not due before its time.
    expect(await deliver(plugin)).toBe(0);
    await makeDue(plugin);
  }
  expect(shop.received).toHaveLength(3);
  expect(new Set(shop.received.map(({ body }) => body)).size).toBe(1);
  const [callback] = await listed(plugin);
  expect(callback).toMatchObject({ status: "failed", attempts: 3, next_attempt_at: null });
  expect(callback?.body).toBe(shop.received[0]?.body);
  expect(callback?.history.map(({ response }) => response)).toEqual(Array(3).fill("Maintenance"));
  accept(shop.received[2]?.body ?? "", plugin.signatureKey);
});

test("the shop's own words decide: a 200 that refuses is shown as refused", async () => {
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  shop.behave(answer(200, "Hash mismatch."));
  await paid(plugin);
  await deliver(plugin);
  await makeDue(plugin);
  await deliver(plugin);
  expect(shop.received).toHaveLength(1);
  expect(await listed(plugin)).toMatchObject([
    { status: "refused", history: [{ status_code: 200, response: "Hash mismatch." }] },
  ]);
});

test("only the integration that made the link is called, at each of its hooks once", async () => {
  const other = await newReceiver(answer(200, "Swipe IPN webhook success"));
  const plugin = await connect();
  const sibling = await connect("givewp", { tenant: plugin.tenant });
  await setWebhook(plugin, shop.url);
  const json = JSON.stringify({
    name: "payment.created",
    url: `${shop.url}/second`,
    enabled: true,
  });
  ok(await v1("POST", plugin.hooks, { key: plugin.token, json }));
  await setWebhook(sibling, other.url);
  await paid(plugin);
  await deliver(plugin);
  await deliver(plugin);
  expect(shop.received).toHaveLength(2);
  expect(other.received).toHaveLength(0);
  await other.close();
});

test("a payment that staff record is a paid link too", async () => {
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  const link = await createLink(plugin, order(3));
  await recordManualPayment(plugin.ctx, link._id, { method: "cash" });
  await deliver(plugin);
  const data = accept(shop.received[0]?.body ?? "", plugin.signatureKey);
  expect(data).toMatchObject({ payment_status: "1", payment_provider: "manual" });
});

test("a worker that dies after the call costs an attempt: the shop gets three at most", async () => {
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  shop.behave(answer(500));
  await paid(plugin);
  const dying = createSender({ allowPrivate: true });
  const post = dying.post;
  for (let life = 0; life < 5; life++) {
    const [row] = await claimOf(dueCallbacks, plugin.ctx.businessId);
    if (!row) throw new Error("nothing is due");
    await deliverCallback(
      {
        ...dying,
        post: async (...call) => {
          await post(...call);
          throw new Error("killed");
        },
      },
      row,
      "test",
    ).catch(() => undefined);
    await db.execute(
      sql`update integration_callbacks set leased_until = now() where business_id = ${plugin.ctx.businessId}`,
    );
    if (life >= 3) break;
  }
  expect(shop.received).toHaveLength(3);
  expect(new Set(shop.received.map(({ body }) => body)).size).toBe(1);
  expect(await listed(plugin)).toMatchObject([{ status: "failed", attempts: 3 }]);
  dying.close();
});

test("a worker that lost its claim writes nothing", async () => {
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  await paid(plugin);
  const [row] = await claimOf(dueCallbacks, plugin.ctx.businessId);
  await db.execute(
    sql`update integration_callbacks set fence = fence + 1 where business_id = ${plugin.ctx.businessId}`,
  );
  const sender = createSender({ allowPrivate: true });
  await expect(row && deliverCallback(sender, row, "test")).rejects.toThrow("another worker");
  expect(shop.received).toHaveLength(0);
  sender.close();
});

test("the address is checked at each attempt", async () => {
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  await paid(plugin);
  const strict = defineCallbackDelivery(createSender({ allowPrivate: false }));
  await runOnce(strict, plugin.ctx.businessId);
  expect(shop.received).toHaveLength(0);
  expect(await listed(plugin)).toMatchObject([
    {
      status: "pending",
      history: [{ error: "The url must begin with https.", status_code: null }],
    },
  ]);
});

test("what waits for a hook that is deleted stops, and goes on when its plugin makes it again", async () => {
  const plugin = await connect();
  const id = await setWebhook(plugin, shop.url);
  shop.behave(answer(500));
  await paid(plugin);
  await deliver(plugin);
  ok(await v1("DELETE", `${plugin.hooks}/${id}`, { key: plugin.token }));
  await makeDue(plugin);
  await deliver(plugin);
  expect(await listed(plugin)).toMatchObject([{ status: "stopped", attempts: 1 }]);
  shop.behave(answer(200, "Swipe IPN webhook success"));
  expect(await setWebhook(plugin, shop.url)).toBe(id);
  await deliver(plugin);
  expect(await listed(plugin)).toMatchObject([{ status: "delivered", attempts: 2 }]);
  expect(new Set(shop.received.map(({ body }) => body)).size).toBe(1);
});

const removeHook = async ({ hooks, token }: Plugin, id: string) =>
  ok(await v1("DELETE", `${hooks}/${id}`, { key: token }));

test("a payment between the deletion of a hook and its making again is reported to it", async () => {
  const plugin = await connect();
  const id = await setWebhook(plugin, shop.url);
  await removeHook(plugin, id);
  await paid(plugin);
  await deliver(plugin);
  expect(shop.received).toHaveLength(0);
  expect(await listed(plugin)).toMatchObject([{ status: "stopped", attempts: 0 }]);
  expect(await setWebhook(plugin, shop.url)).toBe(id);
  await deliver(plugin);
  expect(await listed(plugin)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  accept(shop.received[0]?.body ?? "", plugin.signatureKey);
});

test("a hook that was deleted long before a payment gets no callback of it", async () => {
  const plugin = await connect();
  await removeHook(plugin, await setWebhook(plugin, shop.url));
  await db.execute(
    sql`update integration_hooks set deleted_at = now() - interval '1 hour' where business_id = ${plugin.ctx.businessId}`,
  );
  await paid(plugin);
  expect(await listed(plugin)).toEqual([]);
});

test("a callback that is about to stop goes on when its hook is made again at that moment", async () => {
  const plugin = await connect();
  const id = await setWebhook(plugin, shop.url);
  await removeHook(plugin, id);
  await paid(plugin);
  const made = Promise.withResolvers<void>();
  const kept = Promise.withResolvers<void>();
  const making = withTransaction(async (tx) => {
    await lockIntegration(plugin.ctx, tx, plugin.id);
    await changeHook(plugin.ctx, tx, id, { deleted: false });
    await resumeCallbacks(plugin.ctx, tx, id);
    made.resolve();
    await kept.promise;
  });
  await made.promise;
  const stopping = deliver(plugin);
  const waits = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%for update%'`;
  await expect.poll(async () => (await db.execute(waits)).rows.length, { timeout: 10_000 }).toBe(1);
  kept.resolve();
  await Promise.all([making, stopping]);
  expect(await listed(plugin)).toMatchObject([{ status: "delivered", attempts: 1 }]);
});

test("a revoked integration is called no more", async () => {
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  await paid(plugin);
  await revoke(plugin.ctx, plugin.id);
  expect(await deliver(plugin)).toBe(0);
  expect(await listed(plugin)).toMatchObject([{ status: "stopped" }]);
  expect(shop.received).toHaveLength(0);
});

test("an outcome that is written again, since the answer to its commit was lost, is once in the history", async () => {
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  await paid(plugin);
  const [row] = await claimOf(dueCallbacks, plugin.ctx.businessId);
  if (!row) throw new Error("no callback is due");
  const attempt = {
    at: new Date().toISOString(),
    statusCode: 503,
    error: null,
    response: "Maintenance",
    durationMs: 5,
  };
  for (let written = 0; written < 2; written++)
    await withTransaction((tx) =>
      recordOutcome(plugin.ctx, tx, row, { status: "pending", seconds: 60, attempt }),
    );
  expect((await listed(plugin))[0]?.history).toHaveLength(1);
});

test("a callback that the shop has taken is sent once though its row is locked for longer than a statement waits", async () => {
  await waitBriefly();
  const plugin = await connect();
  await setWebhook(plugin, shop.url);
  await paid(plugin);
  const locked = Promise.withResolvers<() => Promise<void>>();
  shop.behave((received, response, times) => {
    locked.resolve(
      lockUntilMissed(
        "select from integration_callbacks where business_id = $1 for update",
        String(plugin.ctx.businessId),
      ),
    );
    void locked.promise.then(() =>
      answer(200, "Swipe IPN webhook success")(received, response, times),
    );
  });
  const delivering = deliver(plugin);
  const unlock = await locked.promise;
  await unlock();
  await delivering;
  await makeDue(plugin);
  await deliver(plugin);
  expect(shop.received).toHaveLength(1);
  expect(await listed(plugin)).toMatchObject([{ status: "delivered", attempts: 1 }]);
});
