import { beforeAll, describe, expect, it } from "vitest";
import { provideEnv } from "@/lib/env";
import { api, newTenant } from "../contract/setting";

beforeAll(() => provideEnv({ RATE_LIMIT_KEY: "5", RATE_LIMIT_ANONYMOUS: "3" }));

const address = "198.51.100.7";

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

  it("that fail to authenticate are counted down where they fail; with the limit off nothing is told", async () => {
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

  it("that fail to authenticate are refused after the limit, and a good key from the same address still works", async () => {
    const shop = await newTenant();
    const statuses: number[] = [];
    for (let tries = 0; tries < 5; tries++)
      statuses.push((await api("GET", "/payment-links", { key: "sk_test_guess", address })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await api("GET", "/payment-links", { key: shop.keys.test, address })).status).toBe(200);
  });
});
