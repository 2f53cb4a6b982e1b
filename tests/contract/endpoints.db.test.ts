import * as z from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { envelope } from "@/lib/contract/envelope";
import { provideEnv } from "@/lib/env";
import { label } from "@/lib/contract/field-label";
import { newApiKey } from "@/lib/kernel/ids";
import {
  addressOf,
  bodyFor,
  children,
  namesRecord,
  nounOf,
  paramNames,
  readyPath,
  stateOf,
} from "./fixtures";
import { type Answer, api, newTenant, routes, type Tenant } from "./setting";

// One business calls every costly endpoint of the contract here.
provideEnv({ RATE_LIMIT_COST: "0" });

let own: Tenant;
let other: Tenant;
beforeAll(async () => {
  other = await newTenant("Another business");
});
afterAll(closePool);

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** An event is a union too, by its type. */
const isList = ({ response }: Endpoint) =>
  response instanceof z.ZodUnion && !(response instanceof z.ZodDiscriminatedUnion);
const unknown = { message: "Not found.", code: "not_found", errors: {} };

function expectHeaders({ headers }: Answer) {
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
}

function expectSuccess(endpoint: Endpoint, answer: Answer) {
  expect(answer.body.message).toBeUndefined();
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body).sort()).toEqual(["data", "errors", "meta", "success"]);
  // Equal to what the schema lets through: nothing is missing, and nothing is there that is not declared.
  expect(envelope(endpoint.response).parse(answer.body)).toEqual(answer.body);
  expect((answer.body.meta as { timestamp: string }).timestamp).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
  );
  expectHeaders(answer);
}

function requiredFields(endpoint: Endpoint): string[] {
  if (!(endpoint.body instanceof z.ZodObject)) return [];
  const shape = endpoint.body.shape as Record<string, z.ZodType>;
  return Object.keys(shape).filter((name) => !(shape[name] instanceof z.ZodOptional));
}

describe.each(
  endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
)("%s", (_, endpoint) => {
  // A business of each endpoint's own: some records have a limit.
  beforeAll(async () => {
    own = await newTenant();
  });
  const key = () => own.keys.test;
  const ctx = () => own.ctx.test;

  test("has a route file that answers its path's methods and no other", () => {
    const pattern = `/api${endpoint.path.replace(/\{(\w+)\}/g, "[$1]")}`;
    const file = routes.find((route) => route.pattern === pattern);
    const declared = endpoints
      .filter(({ path }) => path === endpoint.path)
      .map(({ method }) => method);
    expect(Object.keys(file?.module ?? {}).sort()).toEqual([...declared].sort());
    expect(Object.keys(file?.module ?? {}).every((name) => methods.includes(name))).toBe(true);
  });

  test("answers 401 without a valid key, whatever else is right or wrong", async () => {
    const path = await readyPath(endpoint, ctx());
    const body = await bodyFor(endpoint, ctx());
    const keyless = [
      {},
      { key: newApiKey("test") },
      { key: `${key().slice(0, -1)}_` },
      { headers: { authorization: `Basic ${key()}` } },
      { headers: { authorization: "Bearer" } },
      { raw: "{" },
    ];
    for (const options of keyless) {
      const sent =
        endpoint.method === "GET"
          ? { ...options, raw: undefined }
          : { ...(body ? { body } : {}), ...options };
      const answer = await api(endpoint.method, path, sent);
      expect(answer.text).toBe(
        '{"message":"Unauthenticated.","code":"unauthenticated","errors":{}}',
      );
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expectHeaders(answer);
    }
  });

  test("returns its declared object in the envelope, with headers for what is left of the limit", async () => {
    const answer = await api(endpoint.method, await readyPath(endpoint, ctx()), {
      key: key(),
      body: await bodyFor(endpoint, ctx()),
    });
    expectSuccess(endpoint, answer);
    expect(answer.headers.get("x-ratelimit-limit")).toBe("1000");
    expect(Number(answer.headers.get("x-ratelimit-remaining"))).toBeLessThan(1_000);
  });

  if (namesRecord(endpoint)) {
    const foreign = async (owner: Tenant, mode: "test" | "live", usedKey: string) => {
      const noun = nounOf(endpoint);
      const { id, addresses } = await noun.make(owner.ctx[mode]);
      const before = await stateOf(noun.table, id, owner.businessId);
      for (const address of addresses) {
        const answer = await api(endpoint.method, addressOf(endpoint, address), {
          key: usedKey,
          body: await bodyFor(endpoint, ctx()),
        });
        expect(answer.body).toEqual(unknown);
        expect(answer.status).toBe(404);
        expectHeaders(answer);
      }
      // The fixture of a body may add records of its own to our business, but never to this row.
      const after = (await stateOf(noun.table, id, owner.businessId)) as { row: unknown };
      expect(after.row).toEqual((before as { row: unknown }).row);
      if (owner !== own) expect(after).toEqual(before);
    };
    test("another business's record is a 404 and stays as it is", () =>
      foreign(other, "test", key()));
    test("a live record is a 404 to a test key and stays as it is", () =>
      foreign(own, "live", key()));
    if (!endpoint.money)
      test("a test record is a 404 to a live key and stays as it is", () =>
        foreign(own, "test", own.keys.live));
  }

  if (endpoint.money) {
    test("answers 409 in live mode while no gateway is connected", async () => {
      const path = await readyPath(endpoint, ctx());
      const answer = await api(endpoint.method, path, {
        key: own.keys.live,
        body: await bodyFor(endpoint, ctx()),
      });
      expect(answer.body).toEqual({
        message: "Connect a payment provider for live mode first.",
        code: "gateway_not_connected",
        errors: {},
      });
      expect(answer.status).toBe(409);
      expectHeaders(answer);
    });
  }

  const required = requiredFields(endpoint);
  if (required.length > 0) {
    test.each(required)("without %s answers 422 that names it", async (name) => {
      const { [name]: _left, ...body } = (await bodyFor(endpoint, ctx())) ?? {};
      const answer = await api(endpoint.method, await readyPath(endpoint, ctx()), {
        key: key(),
        body,
      });
      expect(answer.text).toBe(
        `{"message":"The given data was invalid.","errors":{"${name}":["The ${label([name])} field is required."]}}`,
      );
      expect(answer.status).toBe(422);
      expectHeaders(answer);
    });
    test("an empty body names all of them at once", async () => {
      const answer = await api(endpoint.method, await readyPath(endpoint, ctx()), {
        key: key(),
        body: {},
      });
      expect(answer.status).toBe(422);
      expect(Object.keys(answer.body).sort()).toEqual(["errors", "message"]);
      const { message, errors } = answer.body as { message: string; errors: object };
      expect(message).toBe("The given data was invalid.");
      expect(errors).toMatchObject(
        Object.fromEntries(
          required.map((name) => [name, [`The ${label([name])} field is required.`]]),
        ),
      );
      // A field that only the absence of another one makes necessary.
      for (const [name, texts] of Object.entries(errors))
        if (!required.includes(name))
          expect(texts).toEqual([expect.stringMatching(/ is required when .+ is not present\.$/)]);
    });
  }

  if (endpoint.method !== "GET") {
    test("the same request with the same Idempotency-Key gets the same answer and does nothing again", async () => {
      const [path, body] = [await readyPath(endpoint, ctx()), await bodyFor(endpoint, ctx())];
      const headers = { "idempotency-key": `key-${endpoint.id}` };
      const first = await api(endpoint.method, path, { key: key(), body, headers });
      expectSuccess(endpoint, first);
      expect(first.headers.get("idempotent-replayed")).toBeNull();
      const count = async () =>
        (
          await pool().query("select count(*)::int as count from events where business_id = $1", [
            own.businessId,
          ])
        ).rows;
      const before = await count();
      const second = await api(endpoint.method, path, { key: key(), body, headers });
      if (endpoint.showsSecret) {
        expect(second.body).toMatchObject({ code: "secret_already_shown", errors: {} });
        expect(second.status).toBe(409);
        expect(await count()).toEqual(before);
        return;
      }
      expect(second.text).toBe(first.text);
      expect(second.headers.get("idempotent-replayed")).toBe("true");
      expectHeaders(second);
      expect(await count()).toEqual(before);
    });
    test.each(["", "a b", "ü", "x".repeat(256)])("the Idempotency-Key %j is a 400", async (bad) => {
      const headers = { "idempotency-key": Buffer.from(bad).toString("latin1") };
      const answer = await api(endpoint.method, await readyPath(endpoint, ctx()), {
        key: key(),
        body: await bodyFor(endpoint, ctx()),
        headers,
      });
      expect(answer.body).toMatchObject({ code: "malformed_request", errors: {} });
      expect(answer.status).toBe(400);
    });
  }

  if (endpoint.method === "DELETE") {
    test("answers the record as it last was, or as it is still read", async () => {
      const path = await readyPath(endpoint, ctx());
      const before = await api("GET", path, { key: key() });
      const { body } = await api("DELETE", path, { key: key() });
      const after = await api("GET", path, { key: key() });
      expect(body.data).toEqual((after.status === 200 ? after : before).body.data);
    });

    test("sent once more it is a 404", async () => {
      const path = await readyPath(endpoint, ctx());
      expectSuccess(endpoint, await api("DELETE", path, { key: key() }));
      expect((await api("DELETE", path, { key: key() })).status).toBe(404);
    });
  }

  if (endpoint.body) {
    test("a body that is not JSON is 400, of another type 415, too large 413", async () => {
      const path = await readyPath(endpoint, ctx());
      const send = (raw: string, type = "application/json") =>
        api(endpoint.method, path, { key: key(), raw, headers: { "content-type": type } });
      expect(await send("{")).toMatchObject({
        status: 400,
        body: { code: "malformed_request", errors: {} },
      });
      expect(await send("{}", "text/plain")).toMatchObject({
        status: 415,
        body: { code: "unsupported_media_type", errors: {} },
      });
      expect(await send(`{"a":"${"x".repeat(endpoint.maxBytes ?? 65_536)}"}`)).toMatchObject({
        status: 413,
        body: { code: "payload_too_large", errors: {} },
      });
    });
  }

  if (isList(endpoint) && paramNames(endpoint).length > 0) {
    test("lists what belongs to its record and nothing of another, by both paginators", async () => {
      const make = children[endpoint.id];
      if (!make)
        throw new Error(`tests/contract/fixtures.ts does not know what is in ${endpoint.path}`);
      const { parent, ids } = await make(ctx());
      await make(ctx());
      for (const query of ["", "?page=1", "?per_page=100&sort=created_at"]) {
        const answer = await api("GET", `${addressOf(endpoint, parent)}${query}`, { key: key() });
        expectSuccess(endpoint, answer);
        expect(
          (answer.body.data as { data: Array<{ _id: string }> }).data.map(({ _id }) => _id).sort(),
        ).toEqual([...ids].sort());
      }
      expect(
        (await api("GET", `${addressOf(endpoint, parent)}?per_page=0`, { key: key() })).status,
      ).toBe(422);
    });
  } else if (isList(endpoint)) {
    const [listed] = endpoints.filter(
      ({ method, path }) => method === "GET" && path.startsWith(`${endpoint.path}/{`),
    );

    test("lists the records of this business and mode only, by both paginators", async () => {
      if (!listed) throw new Error(`nothing to get one by for ${endpoint.path}`);
      const noun = nounOf(listed);
      const tenant = await newTenant();
      const made = [await noun.make(tenant.ctx.test), await noun.make(tenant.ctx.test)].map(
        ({ id }) => id,
      );
      await noun.make(tenant.ctx.live);
      await noun.make(other.ctx.test);
      const { rows } = await pool().query<{ id: string }>(
        `select id from ${noun.table} where business_id = $1 and mode = 'test'`,
        [tenant.businessId],
      );
      const expected = rows.map(({ id }) => id).sort();
      expect(expected).toEqual(expect.arrayContaining(made));
      for (const query of ["", "?page=1", "?per_page=100&sort=created_at"]) {
        const answer = await api("GET", `${endpoint.path}${query}`, { key: tenant.keys.test });
        expectSuccess(endpoint, answer);
        const found = (answer.body.data as { data: Array<{ _id: string }> }).data.map(
          ({ _id }) => _id,
        );
        expect(found.sort()).toEqual(expected);
      }
    });

    test("a bad value of a known parameter is 422 on it, an unknown one is ignored", async () => {
      const bad = await api("GET", `${endpoint.path}?per_page=0&page=x&cursor=x`, { key: key() });
      expect(bad.status).toBe(422);
      expect(Object.keys(bad.body.errors as object).sort()).toEqual(["page", "per_page"]);
      expect((await api("GET", `${endpoint.path}?cursor=x.y`, { key: key() })).body).toEqual({
        message: "The given data was invalid.",
        errors: { cursor: ["The selected cursor is invalid."] },
      });
      expectSuccess(endpoint, await api("GET", `${endpoint.path}?nonsense=1`, { key: key() }));
    });
  }
});
