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
      expect([answer.status, answer.headers.get("x-ratelimit-limit"), answer.headers.get("x-ratelimit-remaining")]).toEqual([200, "5", String(left)]);
    }
    const refused = await api("GET", "/payment-links", { key: busy.keys.test });
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ message: "Too many requests.", code: "too_many_requests", errors: {} });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await api("GET", "/payment-links", { key: calm.keys.test })).status).toBe(200);
  });

  it("that fail to authenticate are refused after the limit, and a good key from the same address still works", async () => {
    const shop = await newTenant();
    const statuses: number[] = [];
    for (let tries = 0; tries < 5; tries++) statuses.push((await api("GET", "/payment-links", { key: "sk_test_guess", address })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await api("GET", "/payment-links", { key: shop.keys.test, address })).status).toBe(200);
  });
});
