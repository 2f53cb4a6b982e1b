import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { revoke } from "@/lib/domain/integrations/manage";
import { flushBatches } from "@/lib/http/batch";
import { newCredential } from "@/lib/kernel/ids";
import { api, newTenant } from "../contract/setting";
import { connect, createLink, type Link, ok, type Plugin, setWebhook, signIn, v1 } from "./setting";

provideEnv({ RATE_LIMIT_SIGN_IN: "0" });
afterAll(closePool);

const json = JSON.stringify({
  email: "siti@example.com",
  currency: "MYR",
  amount: "50.00",
  title: "Kedai Demo",
  reference: 1,
});
const denied = { message: "Unauthenticated.", errors: { authorization: ["Unauthenticated."] } };
const unknown = (name: string) => ({ message: "Not found.", errors: { [name]: ["Not found."] } });

let plugin: Plugin;
let hook: string;
beforeAll(async () => {
  plugin = await connect();
  hook = await setWebhook(plugin, "https://shop.example/hook");
});

describe("sign-in", () => {
  test("takes any e-mail address, and answers a token, which reads the business and its keys", async () => {
    expect(plugin.token).toMatch(/^it_test_[0-9A-Za-z]+$/);
    const answer = await v1("GET", "/approved-businesses", { key: plugin.token });
    expect(answer.body).toEqual({
      success: true,
      data: [
        {
          id: plugin.ctx.businessId,
          name: "Kedai Demo",
          integration: {
            id: 1,
            api_key: plugin.apiKey,
            signature_key: expect.stringMatching(/^[0-9a-f]{64}$/),
            webhook_events: [
              {
                _id: hook,
                name: "payment.created",
                url: "https://shop.example/hook",
                enabled: true,
              },
            ],
          },
        },
      ],
      errors: null,
      meta: { timestamp: expect.any(String), timezone: "UTC" },
    });
    // WordPress removes tags, `%xx` and blanks.
    for (const text of [plugin.password, plugin.token, plugin.apiKey])
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test("lasts for at least a week", async () => {
    const { rows } = await pool().query<{ days: number }>(
      "select extract(epoch from expires_at - now()) / 86400 as days from integration_tokens where business_id = $1",
      [plugin.ctx.businessId],
    );
    expect(Number(rows[0]?.days)).toBeGreaterThan(7);
    await pool().query("update integration_tokens set expires_at = now() where business_id = $1", [
      plugin.ctx.businessId,
    ]);
    expect((await v1("GET", "/approved-businesses", { key: plugin.token })).body).toEqual(denied);
    plugin.token = ok<{ token: string }>(await signIn(plugin.password)).token;
  });

  test.each([
    ["another text", () => "secret"],
    [
      "a password of an integration that does not exist",
      () => newCredential("password", "test", "6740f5d81b2c9e7a04f3d519"),
    ],
    ["the API key", () => plugin.apiKey],
    ["the token", () => plugin.token],
  ])("refuses %s, with a map that the plugin can show", async (_, password) => {
    const answer = await signIn(password());
    expect(answer.body).toEqual({
      message: "The given data was invalid.",
      errors: { email: ["These credentials do not match our records."] },
    });
    expect(answer.status).toBe(422);
  });
});

test("a revoked integration is refused everywhere at once", async () => {
  const one = await connect();
  await revoke(one.ctx, one.id);
  expect((await signIn(one.password)).status).toBe(422);
  for (const key of [one.token, one.apiKey])
    expect((await v1("POST", "/payment-links", { key, json })).body).toEqual(denied);
});

describe("credentials are valid here alone", () => {
  test("an API key of the business is refused at /api/v1", async () => {
    for (const key of Object.values(plugin.tenant.keys)) {
      expect((await v1("POST", "/payment-links", { key, json })).body).toEqual(denied);
      expect((await v1("GET", "/approved-businesses", { key })).status).toBe(401);
    }
  });

  test("a shop plugin's key, token and password are refused at /api", async () => {
    for (const key of [plugin.apiKey, plugin.token, plugin.password])
      for (const path of ["/payment-links", "/packages", "/integrations"])
        expect((await api("GET", path, { key })).status).toBe(401);
  });

  test("the API key is for links, and nothing else", async () => {
    const answer = await v1("GET", "/approved-businesses", { key: plugin.apiKey });
    expect(answer.status).toBe(403);
    expect(answer.body.errors).toEqual({ integration: [expect.any(String)] });
    expect((await v1("GET", plugin.hooks, { key: plugin.apiKey })).status).toBe(403);
    for (const key of [plugin.apiKey, plugin.token]) ok(await v1("GET", "/payment-links", { key }));
  });
});

describe("isolation", () => {
  test("links of another integration, business or mode are a 404", async () => {
    const link = await createLink(plugin, json);
    const own = (await api("GET", `/payment-links/${link._id}`, { key: plugin.tenant.keys.test }))
      .body.data as Link & { integration_id: string };
    expect(own).toMatchObject({ amount: 5_000, integration_id: plugin.id });
    const others = [
      await connect("givewp", { tenant: plugin.tenant }),
      await connect("givewp", { tenant: await newTenant("Other") }),
    ];
    for (const { apiKey } of others) {
      for (const [method, body] of [["GET"], ["PUT", json], ["DELETE"]] as const) {
        const answer = await v1(method, `/payment-links/${link._id}`, {
          key: apiKey,
          ...(body ? { json: body } : {}),
        });
        expect([answer.status, answer.body]).toEqual([404, unknown("payment_link")]);
      }
      expect(ok<{ data: Link[] }>(await v1("GET", "/payment-links", { key: apiKey })).data).toEqual(
        [],
      );
    }
    const { data } = ok<{ data: Link[] }>(
      await v1("GET", "/payment-links", { key: plugin.apiKey }),
    );
    expect(data.find(({ _id }) => _id === link._id)?.amount).toBe(50);
  });

  test("a link that the business made itself is a 404 too", async () => {
    const body = { email: "a@example.com", currency: "MYR", amount: 5_000, title: "Own" };
    const { _id } = (await api("POST", "/payment-links", { key: plugin.tenant.keys.test, body }))
      .body.data as Link;
    expect((await v1("GET", `/payment-links/${_id}`, { key: plugin.apiKey })).status).toBe(404);
  });

  test("hooks of another integration are a 404, whatever the path names", async () => {
    const other = await connect("givewp", { tenant: plugin.tenant });
    for (const path of [plugin.hooks, other.hooks.replace(/\d+\/webhook/, "999/webhook")])
      expect((await v1("GET", path, { key: other.token })).body).toEqual(unknown("webhook_event"));
    for (const id of [hook, "zz", "%00"]) {
      const answer = await v1("DELETE", `${other.hooks}/${id}`, { key: other.token });
      expect([answer.status, answer.body]).toEqual([404, unknown("webhook_event")]);
    }
    const { data } = ok<{ data: unknown[] }>(await v1("GET", plugin.hooks, { key: plugin.token }));
    expect(data).toHaveLength(1);
  });

  test("a live integration makes no link before the business has a gateway", async () => {
    const live = await connect("woocommerce", { mode: "live" });
    const answer = await v1("POST", "/payment-links", { key: live.apiKey, json });
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({
      message: "Connect a payment provider for live mode first.",
      errors: { payment_link: ["Connect a payment provider for live mode first."] },
    });
  });

  test("an idempotency key of one integration never replays the answer of another", async () => {
    const other = await connect("givewp", { tenant: plugin.tenant });
    const call = async ({ apiKey }: Plugin) =>
      v1("POST", "/payment-links", {
        key: apiKey,
        json: json.replace('"reference":1', '"reference":77'),
        headers: { "idempotency-key": "order-77" },
      });
    const first = await call(plugin);
    const again = await call(plugin);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(ok<Link>(again).amount).toBe(50);
    const theirs = await call(other);
    expect(theirs.headers.get("idempotent-replayed")).toBeNull();
    expect(ok<Link>(theirs)._id).not.toBe(ok<Link>(first)._id);
  });

  test.each(["GET", "HEAD"])("an idempotency key of a %s keeps no answer", async (method) => {
    const headers = { "idempotency-key": "read-1" };
    for (let sent = 0; sent < 2; sent++) {
      const answer = await v1(method, "/payment-links", { key: plugin.apiKey, headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("idempotent-replayed")).toBeNull();
    }
  });
});

describe("hooks", () => {
  test("are listed by the paginator that plugins read", async () => {
    const answer = await v1("GET", plugin.hooks, { key: plugin.token });
    const path = `http://localhost:3000/api/v1${plugin.hooks}`;
    expect(answer.body.data).toEqual({
      current_page: 1,
      data: [
        { _id: hook, name: "payment.created", url: "https://shop.example/hook", enabled: true },
      ],
      first_page_url: `${path}?page=1`,
      from: 1,
      last_page: 1,
      last_page_url: `${path}?page=1`,
      next_page_url: null,
      path,
      per_page: 15,
      prev_page_url: null,
      to: 1,
      total: 1,
    });
  });

  test.each([
    ["http://shop.example/hook", "The url must begin with https."],
    ["https://10.0.0.1/hook", "The url must not be in a private network."],
    ["https://localhost/hook", "The url must not be in a private network."],
    ["ftp://shop.example", "The url must be a valid URL."],
  ])("%s is refused at registration and at change", async (url, text) => {
    const body = JSON.stringify({ name: "payment.created", url, enabled: true });
    for (const [method, path] of [
      ["POST", plugin.hooks],
      ["PATCH", `${plugin.hooks}/${hook}`],
    ] as const) {
      const answer = await v1(method, path, { key: plugin.token, json: body });
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toEqual({ url: [text] });
    }
  });
});

describe("every failure is a map of arrays", () => {
  test.each([
    ["GET", "/nothing", undefined, 404, "address"],
    ["GET", "", undefined, 404, "address"],
    ["POST", "/payment-links", "{", 400, "body"],
    ["POST", "/payment-links", '{"amount":1,"amount":2}', 400, "body"],
  ] as const)("%s %s", async (method, path, body, status, name) => {
    const answer = await v1(method, path, {
      key: plugin.apiKey,
      ...(body === undefined ? {} : { json: body }),
    });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      message: expect.any(String),
      errors: { [name]: [answer.body.message] },
    });
  });

  test("and amounts in it are in major units", async () => {
    const create = async (amount: string, currency = "MYR") =>
      (
        await v1("POST", "/payment-links", {
          key: plugin.apiKey,
          json: `{"email":"siti@example.com","currency":"${currency}","amount":${amount},"title":"A"}`,
        })
      ).body.errors;
    expect(await create('"4.99"')).toEqual({ amount: ["The amount must be at least 5.00."] });
    expect(await create("30000.005")).toEqual({
      amount: ["The amount must not be greater than 30000.00."],
    });
    expect(await create("499.4", "JPY")).toEqual({ amount: ["The amount must be at least 500."] });
    for (const text of ["1e3", "-5", "true", '" 5.00"', '"1,23"', "[5]", "{}"])
      expect(await create(text), text).toEqual({ amount: ["The amount must be a number."] });
    for (const text of ["null", '""'])
      expect(await create(text)).toEqual({ amount: ["The amount field is required."] });
    expect(await create("5", "XXX")).toEqual({ currency: ["The selected currency is invalid."] });
  });
});

test("titles, phone numbers and descriptions are cut, not refused", async () => {
  const link = await createLink(
    plugin,
    JSON.stringify({
      email: "siti@example.com",
      currency: "MYR",
      amount: "50.00",
      title: `Café ${"𝔞".repeat(60)}`,
      phone_no: "6".repeat(40),
      description: "d".repeat(5_001),
    }),
  );
  expect([...(link.title as string)]).toHaveLength(50);
  expect(link.phone_no).toHaveLength(32);
  expect(link.description).toHaveLength(5_000);
});

test("the log of the business has the calls, without any credential", async () => {
  const one = await connect();
  await createLink(one, json);
  await flushBatches();
  const { rows } = await pool().query<Record<string, string>>(
    "select path, request_headers, request_body, response_body, key_id from request_log where business_id = $1 order by created_at",
    [one.ctx.businessId],
  );
  expect(rows.map(({ path }) => path)).toEqual([
    "/v1/auth/sign-in",
    "/v1/approved-businesses",
    "/v1/payment-links",
  ]);
  const log = JSON.stringify(rows);
  for (const secret of [one.password, one.token, one.apiKey, one.signatureKey])
    expect(log).not.toContain(secret);
  expect(rows.every(({ key_id }) => key_id === one.id)).toBe(true);
});

test("no credential is in the database in the clear", async () => {
  const { rows } = await pool().query("select * from integrations, integration_tokens");
  const stored = JSON.stringify(rows);
  for (const secret of [plugin.password, plugin.token, plugin.apiKey, plugin.signatureKey])
    expect(stored).not.toContain(secret);
});
