import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { api, newTenant, routes, type Tenant } from "./setting";

let own: Tenant;
beforeAll(async () => {
  own = await newTenant();
});
afterAll(closePool);

const sameOrigin = { origin: "http://localhost:3000", "sec-fetch-site": "same-origin" };

test("no address and method is declared twice", () => {
  const all = [...endpoints, ...staffEndpoints].map(({ method, path }) => `${method} ${path}`);
  expect(all.filter((one, index) => all.indexOf(one) !== index)).toEqual([]);
});

describe.each(
  staffEndpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
)("%s", (_, endpoint) => {
  const path = endpoint.path.replace(/\{\w+\}/g, "6740f1c09a3be27d51c8e4f0");
  const body = endpoint.method === "GET" ? {} : { body: {} };

  test("has a route file that answers its path's methods and no other", () => {
    const file = routes.find(
      (route) => route.pattern === `/api${endpoint.path.replace(/\{(\w+)\}/g, "[$1]")}`,
    );
    const declared = staffEndpoints
      .filter((other) => other.path === endpoint.path)
      .map(({ method }) => method);
    expect(Object.keys(file?.module ?? {}).sort()).toEqual([...declared].sort());
  });

  if (endpoint.access === "public") return;

  test("is a 401 without a caller", async () => {
    const answer = await api(endpoint.method, path, { headers: sameOrigin, ...body });
    expect(answer.text).toBe('{"message":"Unauthenticated.","code":"unauthenticated","errors":{}}');
    expect(answer.status).toBe(401);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("an API key cannot do it", async () => {
    for (const key of [own.keys.test, own.keys.live]) {
      const answer = await api(endpoint.method, path, { key, headers: sameOrigin, ...body });
      expect(answer.body).toEqual(
        endpoint.access === "staff"
          ? {
              message: "An API key cannot do this: sign in.",
              code: "key_cannot_do_this",
              errors: {},
            }
          : { message: "Unauthenticated.", code: "unauthenticated", errors: {} },
      );
    }
  });
});
