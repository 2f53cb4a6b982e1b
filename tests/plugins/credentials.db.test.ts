import { afterAll, describe, expect, test } from "vitest";
import { closePool, pool, withTransaction } from "@/db/client";
import { add, change, list, remove } from "@/lib/domain/integrations/hooks";
import { renewPassword, replaceKeys, revoke } from "@/lib/domain/integrations/manage";
import {
  changeIntegration,
  deleteTokens,
  lockIntegration,
  noteKeysSaved,
} from "@/lib/domain/integrations/rows";
import { provideEnv } from "@/lib/env";
import { backgroundDone } from "@/lib/kernel/background";
import { newCredential } from "@/lib/kernel/ids";
import { digest } from "@/lib/kernel/secrets";
import { approvedBusiness } from "@/lib/domain/integrations/sign-in";
import { answer, newReceiver } from "../webhooks/receiver";
import {
  accept,
  connect,
  createLink,
  deliver,
  makeDue,
  ok,
  payer,
  type Plugin,
  retrieve,
  setWebhook,
  signIn,
  v1,
} from "./setting";

provideEnv({ RATE_LIMIT_SIGN_IN: "0", WEBHOOK_ALLOW_PRIVATE: "1" });
afterAll(closePool);

const json = JSON.stringify({
  email: "siti@example.com",
  currency: "MYR",
  amount: "50.00",
  title: "Kedai Demo",
  reference: 1,
});

describe("sign-in", () => {
  test("is locked after ten failures from its address; keys, tokens and other integrations go on", async () => {
    const victim = await connect();
    const other = await connect("givewp", { tenant: victim.tenant });
    const guess = newCredential("password", "test", victim.id);
    const from = "203.0.113.7";
    for (let tries = 0; tries < 10; tries++) expect((await signIn(guess, from)).status).toBe(422);
    const locked = await signIn(victim.password, from);
    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(60);
    expect(locked.body.errors).toEqual({
      limit: ["Too many sign-ins have failed. Try again in 15 minutes."],
    });
    expect((await signIn(other.password, from)).status).toBe(200);
    expect((await v1("GET", "/approved-businesses", { key: victim.token })).status).toBe(200);
    ok(await v1("POST", "/payment-links", { key: victim.apiKey, json }));
  });

  test("is locked neither at another address nor for a new password, and the audit log names the address", async () => {
    const victim = await connect();
    const guess = newCredential("password", "test", victim.id);
    for (let tries = 0; tries < 12; tries++) await signIn(guess, "203.0.113.7");
    expect((await signIn(victim.password, "203.0.113.7")).status).toBe(429);
    expect((await signIn(victim.password, "203.0.113.8")).status).toBe(200);
    const { password } = await renewPassword(victim.ctx, victim.id);
    expect((await signIn(password, "203.0.113.7")).status).toBe(200);
    await backgroundDone();
    const { rows } = await pool().query(
      "select action, address, object_id from audit_entries where business_id = $1",
      [victim.ctx.businessId],
    );
    expect(rows).toEqual([
      { action: "plugin_sign_in_locked", address: "203.0.113.7", object_id: victim.id },
    ]);
  });
});

test("a new password ends the one before and its tokens; the API key stays", async () => {
  const one = await connect();
  const { password } = await renewPassword(one.ctx, one.id);
  expect((await signIn(one.password)).status).toBe(422);
  expect((await v1("GET", "/approved-businesses", { key: one.token })).status).toBe(401);
  expect((await signIn(password)).status).toBe(200);
  ok(await v1("POST", "/payment-links", { key: one.apiKey, json }));
});

test("a sign-in with the old password that is under way gets no token", async () => {
  const one = await connect();
  const locked = Promise.withResolvers<void>();
  const kept = Promise.withResolvers<void>();
  const renewing = withTransaction(async (tx) => {
    await lockIntegration(one.ctx, tx, one.id);
    locked.resolve();
    await kept.promise;
    await deleteTokens(one.ctx, tx, one.id);
    await changeIntegration(one.ctx, tx, one.id, {
      passwordDigest: digest("another"),
      passwordShownTo: [],
    });
  });
  await locked.promise;
  const signing = signIn(one.password);
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%for update%'";
  await expect
    .poll(async () => (await pool().query(waiting)).rowCount, { timeout: 10_000 })
    .toBe(1);
  kept.resolve();
  await renewing;
  expect((await signing).status).toBe(422);
  const { rowCount } = await pool().query(
    "select from integration_tokens where business_id = $1 and integration_id = $2",
    [one.ctx.businessId, one.id],
  );
  expect(rowCount).toBe(0);
});

describe("keys that are replaced", () => {
  test("end with the password and every sign-in; links and hooks stay, for the new keys", async () => {
    const one = await connect();
    await setWebhook(one, "https://shop.example/hook");
    const { _id } = await createLink(one, json);
    const { password } = await replaceKeys(one.ctx, one.id);
    expect((await signIn(one.password)).status).toBe(422);
    expect((await v1("GET", "/approved-businesses", { key: one.token })).status).toBe(401);
    expect((await v1("GET", `/payment-links/${_id}`, { key: one.apiKey })).status).toBe(401);
    const after = await retrieve(password);
    expect(after.signatureKey).not.toBe(one.signatureKey);
    ok(await v1("GET", `/payment-links/${_id}`, { key: after.apiKey }));
    expect(ok<{ total: number }>(await v1("GET", after.hooks, { key: after.token })).total).toBe(1);
  });

  test("are not for a call of before that was authenticated meanwhile, nor of a revoked integration", async () => {
    const one = await connect();
    const before = { id: one.id, apiKeyDigest: digest(one.apiKey) };
    await approvedBusiness(one.ctx, before);
    const hook = { url: "https://shop.example/hook", enabled: true };
    const { _id } = await add(one.ctx, before, hook);
    await replaceKeys(one.ctx, one.id);
    for (const call of [
      () => approvedBusiness(one.ctx, before),
      () => add(one.ctx, before, { ...hook, url: "https://leaver.example" }),
      () => change(one.ctx, before, _id, { url: "https://leaver.example" }),
      () => remove(one.ctx, before, _id),
    ])
      await expect(call()).rejects.toMatchObject({ status: 404 });
    expect(await list(one.ctx, one.id)).toMatchObject([hook]);
    await revoke(one.ctx, one.id);
    await expect(replaceKeys(one.ctx, one.id)).rejects.toMatchObject({ status: 409 });
  });

  /** The plugin read its keys so long ago. */
  const readAgo = ({ ctx }: Plugin, minutes: number) =>
    pool().query(
      "update integrations set keys_read_at = now() - make_interval(mins => $2) where business_id = $1",
      [ctx.businessId, minutes],
    );

  test.each([
    ["was tried before", 503],
    ["was not tried before", null],
  ])("hold a callback that %s until the shop has them, and sign it", async (_, status) => {
    const shop = await newReceiver(answer(status ?? 200, "Swipe IPN webhook success"));
    const one = await connect();
    await setWebhook(one, shop.url);
    const { _id } = await createLink(one, json);
    if (status === null) await replaceKeys(one.ctx, one.id);
    await payer(one, _id, "approve");
    await deliver(one);
    expect(shop.received).toHaveLength(status === null ? 0 : 1);
    const { password } = await replaceKeys(one.ctx, one.id);
    const look = async () => {
      await makeDue(one);
      await deliver(one);
      return shop.received.splice(0).map(({ body }) => body);
    };
    shop.received.splice(0);
    shop.behave(answer(200, "Swipe IPN webhook success"));
    expect(await look()).toEqual([]);
    const { signatureKey } = await retrieve(password);
    expect(await look()).toEqual([]);
    await readAgo(one, 16);
    const [body, ...others] = await look();
    expect(accept(body ?? "", signatureKey).payment_link_id).toBe(_id);
    expect(others).toEqual([]);
    expect(await look()).toEqual([]);
    await shop.close();
  });

  /** A shop that answers so, with a callback that is due. `before` runs before the payer pays. */
  async function owing(words: string, before: (one: Plugin) => Promise<unknown>) {
    const shop = await newReceiver(answer(200, words));
    const one = await connect();
    await setWebhook(one, shop.url);
    const { _id } = await createLink(one, json);
    const { password } = await replaceKeys(one.ctx, one.id);
    await before(one);
    await payer(one, _id, "approve");
    const look = async () => {
      await makeDue(one);
      await deliver(one);
      const sql = "select status, attempts from integration_callbacks where business_id = $1";
      return (await pool().query(sql, [one.ctx.businessId])).rows;
    };
    return { shop, one, password, look };
  }
  const success = "Swipe IPN webhook success";

  test("of an integration that is then revoked let no callback wait", async () => {
    const { shop, look } = await owing(success, ({ ctx, id }) => revoke(ctx, id));
    expect(await look()).toEqual([{ status: "stopped", attempts: 0 }]);
    expect(shop.received).toEqual([]);
    await shop.close();
  });

  test("that no shop retrieves hold a callback for 30 days", async () => {
    const { shop, one, look } = await owing(success, async () => undefined);
    expect(await look()).toEqual([{ status: "pending", attempts: 0 }]);
    const aged =
      "update integration_callbacks set created_at = now() - interval '31 days' where business_id = $1";
    await pool().query(aged, [one.ctx.businessId]);
    shop.behave(answer(200, "Hash mismatch."));
    expect(await look()).toEqual([{ status: "refused", attempts: 1 }]);
    await shop.close();
  });

  test("hold a callback also where the old key makes a link while they are replaced", async () => {
    const { shop, one, password, look } = await owing(success, ({ ctx, id, apiKey }) =>
      noteKeysSaved(ctx, { id, apiKeyDigest: digest(apiKey), savedKeyDigest: null }),
    );
    expect(await look()).toEqual([{ status: "pending", attempts: 0 }]);
    await retrieve(password);
    expect(await look()).toEqual([{ status: "pending", attempts: 0 }]);
    await readAgo(one, 16);
    expect(await look()).toEqual([{ status: "delivered", attempts: 1 }]);
    await shop.close();
  });

  test("hold callbacks from each time that they are read, until a link is made with them", async () => {
    const { shop, one, password, look } = await owing(success, async () => undefined);
    await retrieve(password);
    await readAgo(one, 16);
    const after = await retrieve(password);
    expect(await look()).toEqual([{ status: "pending", attempts: 0 }]);
    await createLink({ ...one, ...after }, json);
    await retrieve(password);
    expect(await look()).toEqual([{ status: "delivered", attempts: 1 }]);
    await shop.close();
  });

  test("are not taken as saved where a link is made with the token of the sign-in", async () => {
    const { shop, one, password, look } = await owing("Hash mismatch.", async () => undefined);
    const { token } = await retrieve(password);
    await readAgo(one, 1);
    await createLink({ ...one, apiKey: token }, json);
    expect(await look()).toEqual([{ status: "pending", attempts: 0 }]);
    expect(shop.received).toEqual([]);
    await readAgo(one, 16);
    expect(await look()).toEqual([{ status: "pending", attempts: 0 }]);
    shop.behave(answer(200, success));
    expect(await look()).toEqual([{ status: "delivered", attempts: 1 }]);
    await shop.close();
  });

  test("hold no callback any more once the shop has taken one that they signed", async () => {
    const { shop, one, password, look } = await owing(success, async () => undefined);
    const { token } = await retrieve(password);
    await readAgo(one, 16);
    expect(await look()).toHaveLength(1);
    await retrieve(password);
    const { _id } = await createLink({ ...one, apiKey: token }, json);
    await payer(one, _id, "approve");
    const delivered = { status: "delivered", attempts: 1 };
    expect(await look()).toEqual([delivered, delivered]);
    await shop.close();
  });

  test.each(["Hash mismatch.", "Missing API signature key."])(
    "are waited for where a shop has not saved them, and says %j",
    async (words) => {
      const { shop, one, password, look } = await owing(words, async () => undefined);
      const { signatureKey } = await retrieve(password);
      await readAgo(one, 16);
      for (let tries = 0; tries < 4; tries++)
        expect(await look()).toEqual([{ status: "pending", attempts: 0 }]);
      shop.behave(answer(200, success));
      expect(await look()).toEqual([{ status: "delivered", attempts: 1 }]);
      expect(shop.received).toHaveLength(5);
      accept(shop.received.at(-1)?.body ?? "", signatureKey);
      await shop.close();
    },
  );
});
