import { get, list } from "@/lib/flows/connecting/show";
import { connect, replace, revoke } from "@/lib/flows/connecting/steps";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { hasGateway } from "@/lib/domain/gateway-connections/rows";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { list as listCallbacks } from "@/lib/domain/callbacks/list";
import { stripeEvents } from "@/lib/contract/gateway-events";
import { findPayment } from "@/lib/domain/payments/rows";
import { apiVersion } from "@/lib/gateways/stripe/client";
import { newId } from "@/lib/kernel/ids";
import { runningPeer } from "../stripe-peer/running";
import { atStripe, callBack, comeBack, newBusiness, newStripeShop } from "./stripe-setting";

const peer = runningPeer();

afterAll(closePool);

const none = new URLSearchParams();
const key = (mode = "test") => `sk_${mode}_${newId()}`;

describe("connecting", () => {
  test("a key is checked, stored sealed, never shown, and lets the mode take payments", async () => {
    const ctx = await newBusiness("live");
    expect(await hasGateway(ctx.businessId, "live")).toBe(false);
    const secret_key = key("live");
    const webhook_secret = `whsec_${newId()}`;
    const made = await connect(ctx, { secret_key, webhook_secret });
    expect(made).toMatchObject({
      gateway: "stripe",
      mode: "live",
      status: "active",
      in_use: true,
      account: peer.bank(secret_key).id,
      account_name: "Night Market",
      has_webhook_secret: true,
    });
    expect(made.callback_url).toContain(`/api/gateways/stripe/callback/${made._id}`);
    expect(await hasGateway(ctx.businessId, "live")).toBe(true);
    const { rows } = await db.execute(
      sql`select to_jsonb(g) as row from gateway_connections g where id = ${made._id}`,
    );
    for (const text of [
      JSON.stringify(rows),
      JSON.stringify(made),
      JSON.stringify(await list(ctx, {}, none)),
    ]) {
      expect(text).not.toContain(secret_key);
      expect(text).not.toContain(webhook_secret);
    }
  });

  test("connecting makes one endpoint at Stripe, with the events and the version that Kutip reads, and its callbacks are accepted", async () => {
    const ctx = await newBusiness();
    const secret_key = key();
    const made = await connect(ctx, { secret_key });
    const bank = peer.bank(secret_key);
    expect(made.has_webhook_secret).toBe(true);
    expect(bank.webhooks.all).toMatchObject([
      { url: made.callback_url, api_version: apiVersion, enabled_events: [...stripeEvents] },
    ]);
    const webhookSecret = bank.webhooks.all[0]?.secret ?? "";
    const shop = { ctx, peer, bank, connectionId: made._id, secretKey: secret_key, webhookSecret };
    const { session, payment } = await atStripe(shop);
    bank.press(session, "approve");
    await callBack(shop, bank.events.at(-1)?.body ?? "");
    expect((await findPayment(ctx, payment.id))?.status).toBe("succeeded");
    const { rows } = await db.execute(
      sql`select to_jsonb(g) as row from gateway_connections g where id = ${made._id}`,
    );
    expect(JSON.stringify([rows, made])).not.toContain(webhookSecret);
  });

  test("connecting again replaces the endpoint of the address, and leaves the account's others alone", async () => {
    const ctx = await newBusiness();
    const secret_key = key();
    const bank = peer.bank(secret_key);
    bank.webhooks.open("https://elsewhere.example/hook", ["*"], apiVersion);
    const made = await connect(ctx, { secret_key });
    const [first] = bank.webhooks.all;
    await revoke(ctx, made._id);
    const again = await connect(ctx, { secret_key });
    expect(again).toMatchObject({ _id: made._id, has_webhook_secret: true });
    expect(bank.webhooks.all.map(({ url }) => url)).toEqual([
      made.callback_url,
      "https://elsewhere.example/hook",
    ]);
    expect(bank.webhooks.all[0]?.id).not.toBe(first?.id);
    const { connection } = await resolveGateway(ctx);
    expect(connection.callbackSecret).toBe(bank.webhooks.all[0]?.secret);
  });

  test("a key without the permission connects, and staff enter the secret; a later key with it does the rest", async () => {
    const ctx = await newBusiness();
    const secret_key = key();
    const bank = peer.bank(secret_key);
    bank.webhooks.forbidden = true;
    const made = await connect(ctx, { secret_key });
    expect(made).toMatchObject({ status: "active", has_webhook_secret: false });
    expect(bank.webhooks.all).toEqual([]);
    bank.webhooks.forbidden = false;
    const next = key();
    peer.share(secret_key, next);
    expect(await replace(ctx, made._id, { secret_key: next })).toMatchObject({
      has_webhook_secret: true,
    });
    expect(bank.webhooks.all).toHaveLength(1);
    // A secret that is there stays, with its endpoint.
    const [endpoint] = bank.webhooks.all;
    await replace(ctx, made._id, { secret_key: next });
    expect(bank.webhooks.all).toEqual([endpoint]);
  });

  test("a secret that staff enter is kept, and no endpoint is made", async () => {
    const shop = await newStripeShop(peer);
    expect(shop.bank.webhooks.all).toEqual([]);
    expect((await resolveGateway(shop.ctx)).connection.callbackSecret).toBe(shop.webhookSecret);
  });

  test.each([
    ["a key of the other mode", key("live"), /test mode/],
    ["a key that Stripe does not accept", "sk_test_revoked00000000", /does not accept/],
  ])("%s is a 422 on its field", async (_name, secret_key, words) => {
    const ctx = await newBusiness();
    await expect(connect(ctx, { secret_key })).rejects.toMatchObject({
      status: 422,
      options: { errors: { secret_key: [expect.stringMatching(words)] } },
    });
    expect((await resolveGateway(ctx)).gateway.name).toBe("simulator");
  });

  test("no key is accepted while Stripe does not answer", async () => {
    const ctx = await newBusiness();
    peer.trouble = { status: 500, body: "oops" };
    await expect(connect(ctx, { secret_key: key() })).rejects.toMatchObject({ status: 503 });
    peer.trouble = null;
    expect((await list(ctx, {}, none)).data).toHaveLength(1);
  });

  test("a mode has one account at a time, and no other mode or business sees it", async () => {
    const shop = await newStripeShop(peer);
    await expect(connect(shop.ctx, { secret_key: key() })).rejects.toMatchObject({ status: 409 });
    const other = await newBusiness();
    await expect(get(other, shop.connectionId)).rejects.toMatchObject({ status: 404 });
    await expect(get({ ...shop.ctx, mode: "live" }, shop.connectionId)).rejects.toMatchObject({
      status: 404,
    });
    await expect(revoke(other, shop.connectionId)).rejects.toMatchObject({ status: 404 });
    await expect(listCallbacks(other, shop.connectionId, {}, none)).rejects.toMatchObject({
      status: 404,
    });
    expect((await resolveGateway(shop.ctx)).gateway.name).toBe("stripe");
  });

  test("of 32 simultaneous connects one succeeds", async () => {
    const ctx = await newBusiness();
    const tried = await Promise.allSettled(
      Array.from({ length: 32 }, () => connect(ctx, { secret_key: key() })),
    );
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test.each(["connect", "replace"])(
    "of simultaneous calls to %s the one endpoint that stays has the secret that is stored",
    async (verb) => {
      const ctx = await newBusiness();
      const secret_key = key();
      const bank = peer.bank(secret_key);
      const { _id } = await connect(ctx, {
        secret_key,
        ...(verb === "replace" ? { webhook_secret: `whsec_${newId()}` } : {}),
      });
      if (verb === "connect") await revoke(ctx, _id);
      else await replace(ctx, _id, { webhook_secret: null });
      const tried = await Promise.allSettled(
        Array.from({ length: 8 }, () =>
          verb === "connect" ? connect(ctx, { secret_key }) : replace(ctx, _id, { secret_key }),
        ),
      );
      expect(tried.some(({ status }) => status === "fulfilled")).toBe(true);
      expect(bank.webhooks.all.map(({ secret }) => secret)).toEqual([
        (await resolveGateway(ctx)).connection.callbackSecret,
      ]);
    },
  );

  test("a key is replaced by another key of the same account only", async () => {
    const shop = await newStripeShop(peer);
    const next = key();
    peer.share(shop.secretKey, next);
    const replaced = await replace(shop.ctx, shop.connectionId, { secret_key: next });
    expect(replaced).toMatchObject({ last_four: next.slice(-4), has_webhook_secret: true });
    expect((await resolveGateway(shop.ctx)).connection.secret).toBe(next);
    await expect(replace(shop.ctx, shop.connectionId, { secret_key: key() })).rejects.toMatchObject(
      { status: 422 },
    );
    expect(await replace(shop.ctx, shop.connectionId, { webhook_secret: null })).toMatchObject({
      has_webhook_secret: false,
      last_four: next.slice(-4),
    });
  });

  test("revoking deletes the keys and returns to the simulator; the same account connected again finds its open payments", async () => {
    const shop = await newStripeShop(peer);
    const { payment, session } = await atStripe(shop);
    expect(await revoke(shop.ctx, shop.connectionId)).toMatchObject({
      status: "revoked",
      in_use: false,
      open_attempts: 1,
    });
    const { rows } = await db.execute(
      sql`select secret, callback_secret from gateway_connections where id = ${shop.connectionId}`,
    );
    expect(rows).toEqual([{ secret: null, callback_secret: null }]);
    expect((await resolveGateway(shop.ctx)).gateway.name).toBe("simulator");
    await expect(revoke(shop.ctx, shop.connectionId)).rejects.toMatchObject({ status: 404 });
    await expect(
      replace(shop.ctx, shop.connectionId, { webhook_secret: null }),
    ).rejects.toMatchObject({ status: 409 });
    shop.bank.press(session, "approve");
    await expect(callBack(shop, shop.bank.events.at(-1)?.body ?? "")).rejects.toMatchObject({
      status: 404,
    });
    expect((await comeBack(shop, payment.id)).status).toBe("unknown");
    expect((await connect(shop.ctx, { secret_key: shop.secretKey }))._id).toBe(shop.connectionId);
    expect((await comeBack(shop, payment.id)).status).toBe("succeeded");
  });

  test("the simulator can be neither replaced nor revoked", async () => {
    const ctx = await newBusiness();
    const id = (await list(ctx, {}, none)).data[0]?._id ?? "";
    await expect(revoke(ctx, id)).rejects.toMatchObject({ status: 409 });
    await expect(replace(ctx, id, {})).rejects.toMatchObject({ status: 409 });
  });
});
