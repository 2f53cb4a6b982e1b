import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pool } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { createKey } from "@/lib/domain/api-keys/create";
import { signInRoute } from "@/lib/http/sign-in";
import { api, newTenant } from "../contract/setting";
import { call, somePerson } from "../staff/person";

beforeAll(() => provideEnv({ RATE_LIMIT_KEY: "5", RATE_LIMIT_ANONYMOUS: "3" }));

const address = "198.51.100.7";
let addresses = 1;

describe("requests a minute", () => {
  it("of one key are counted down, then refused with the time to wait; another business's are not touched", async () => {
    const [busy, calm] = [await newTenant(), await newTenant()];
    for (let left = 4; left >= 0; left--) {
      const answer = await api("GET", "/payment-links", { key: busy.keys.test });
      expect([
        answer.status,
        answer.headers.get("x-ratelimit-limit"),
        answer.headers.get("x-ratelimit-remaining"),
      ]).toEqual([200, "5", String(left)]);
    }
    const refused = await api("GET", "/payment-links", { key: busy.keys.test });
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      message: "Too many requests.",
      code: "too_many_requests",
      errors: {},
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await api("GET", "/payment-links", { key: calm.keys.test })).status).toBe(200);
  });

  it("that fail to authenticate show what is left of their limit; with the limit off there is no header", async () => {
    const told = async () => {
      const { status, headers } = await api("GET", "/payment-links", {
        key: "sk_test_guess",
        address: "198.51.100.8",
      });
      return [
        status,
        headers.get("x-ratelimit-limit"),
        headers.get("x-ratelimit-remaining"),
        headers.get("www-authenticate"),
      ];
    };
    expect([await told(), await told(), await told()]).toEqual([
      [401, "3", "2", "Bearer"],
      [401, "3", "1", "Bearer"],
      [401, "3", "0", "Bearer"],
    ]);
    expect(await told()).toEqual([429, "3", "0", null]);
    provideEnv({ RATE_LIMIT_ANONYMOUS: "0" });
    expect(await told()).toEqual([401, null, null, "Bearer"]);
    provideEnv({ RATE_LIMIT_ANONYMOUS: "3" });
  });

  it("of all keys of one business are counted together, whatever a refused key goes on sending", async () => {
    provideEnv({ RATE_LIMIT_BUSINESS: "7" });
    const [busy, calm] = [await newTenant(), await newTenant()];
    const second = await createKey({ businessId: busy.businessId, mode: "live" }, "second");
    const statuses = async (key: string, calls: number) => {
      const seen: number[] = [];
      for (let call = 0; call < calls; call++)
        seen.push((await api("GET", "/payment-links", { key })).status);
      return seen;
    };
    expect(await statuses(busy.keys.test, 8)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await statuses(second.secret, 2)).toEqual([200, 200]);
    const refused = await api("GET", "/payment-links", { key: second.secret });
    expect([refused.status, refused.headers.get("x-ratelimit-limit")]).toEqual([429, "7"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await statuses(calm.keys.test, 1)).toEqual([200]);
    provideEnv({ RATE_LIMIT_BUSINESS: "3000" });
  });

  it("that fail to authenticate are counted by the /64 of an IPv6 address, without its port", async () => {
    const statuses: number[] = [];
    for (const from of ["2001:db8:7:7::1", "2001:db8:7:7::2", "[2001:db8:7:7:9::3]:40112"])
      statuses.push(
        (await api("GET", "/payment-links", { key: "sk_test_guess", address: from })).status,
      );
    expect(statuses).toEqual([401, 401, 401]);
    const from = async (other: string) =>
      (await api("GET", "/payment-links", { key: "sk_test_guess", address: other })).status;
    expect(await from("2001:db8:7:7:ffff::1")).toBe(429);
    expect(await from("2001:db8:7:8::1")).toBe(401);
  });

  it("of an unknown address share no limit", async () => {
    for (let tries = 0; tries < 5; tries++) {
      const { status } = await api("GET", "/payment-links", {
        key: "sk_test_guess",
        address: "unknown",
      });
      expect(status).toBe(401);
    }
  });

  it("that fail to authenticate are refused after the limit, and a good key from the same address still works", async () => {
    const shop = await newTenant();
    const statuses: number[] = [];
    for (let tries = 0; tries < 5; tries++)
      statuses.push((await api("GET", "/payment-links", { key: "sk_test_guess", address })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await api("GET", "/payment-links", { key: shop.keys.test, address })).status).toBe(200);
  });

  it("about a person that fail to authenticate are counted as well, a made-up session too", async () => {
    const me = (from: string, cookie?: string) =>
      api("GET", "/me", { address: from, headers: cookie === undefined ? {} : { cookie } });
    const { cookie } = await somePerson();
    const from = "198.51.100.20";
    const seen = [await me(from), await me(from, "kutip.session_token=made-up")];
    expect(
      seen.map(({ status, headers }) => [status, headers.get("x-ratelimit-remaining")]),
    ).toEqual([
      [401, "2"],
      [401, "1"],
    ]);
    expect([(await me(from)).status, (await me(from)).status]).toEqual([401, 429]);
    expect((await me(from, cookie)).status).toBe(200);
  });
});

describe("requests a minute around signing in", () => {
  const paths = [
    "/passkey/generate-authenticate-options",
    "/passkey/generate-register-options",
    "/passkey/list-user-passkeys",
    "/get-session",
  ];
  const auth = async (path: string, from: string, headers: Record<string, string> = {}) =>
    (
      await call(signInRoute, `/auth${path}`, {
        method: path === "/sign-out" ? "POST" : "GET",
        address: from,
        headers,
      })
    ).status;
  const rows = async () => (await pool().query("select from auth_verifications")).rowCount;

  beforeAll(() => provideEnv({ RATE_LIMIT_PAYER: "3" }));
  afterAll(() => provideEnv({ RATE_LIMIT_PAYER: "120" }));

  it.each([...paths, "/sign-out"])(
    "to %s are refused above the limit of an address, with a made-up session too",
    async (path) => {
      const from = `198.51.101.${addresses++}`;
      const cookie = { cookie: "kutip.session_token=made-up" };
      const first = [
        await auth(path, from),
        await auth(path, from, cookie),
        await auth(path, from),
      ];
      expect(first).not.toContain(429);
      const before = await rows();
      expect([await auth(path, from, cookie), await auth(path, from)]).toEqual([429, 429]);
      expect(await rows()).toBe(before);
      expect(await auth(path, `198.51.101.${addresses++}`)).not.toBe(429);
    },
  );

  it("of a signed-in person are counted by person: those of one office are not counted together", async () => {
    const from = "198.51.100.30";
    for (const { cookie } of [await somePerson(), await somePerson()])
      for (let asked = 0; asked < 5; asked++)
        expect(await auth("/get-session", from, { cookie })).toBe(200);
    const { cookie } = await somePerson();
    const statuses: number[] = [];
    for (let asked = 0; asked < 6; asked++)
      statuses.push(await auth("/passkey/list-user-passkeys", from, { cookie }));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it.each(paths)(
    "to %s take nothing from an address when another site's page causes them",
    async (path) => {
      const from = `198.51.101.${addresses++}`;
      for (let asked = 0; asked < 4; asked++)
        expect(await auth(path, from, { "sec-fetch-site": "cross-site" })).toBe(403);
      expect(await auth(path, from)).not.toBe(429);
    },
  );

  it("to learn what the install lets strangers do are refused above the limit of an address", async () => {
    const asked = async (from: string) => (await api("GET", "/setup", { address: from })).status;
    const from = "198.51.100.40";
    expect([await asked(from), await asked(from), await asked(from), await asked(from)]).toEqual([
      200, 200, 200, 429,
    ]);
    expect(await asked("198.51.100.41")).toBe(200);
  });
});
