import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { newLink, newShop } from "@/tests/money/setting";
import { newStripeShop, paidAtStripe } from "@/tests/money/stripe-setting";
import { signed } from "@/tests/stripe-peer/peer";
import { runningPeer } from "@/tests/stripe-peer/running";
import { routeFiles } from "@/scripts/routes-plugin.mjs";
import { startServer } from "./raw-server";

// Real requests over sockets; the test is the trusted proxy, so that it can come from any address.

const peer = runningPeer();
let started: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  provideEnv({ TRUSTED_PROXIES: "127.0.0.1", RATE_LIMIT_PAYER: "3", RATE_LIMIT_ANONYMOUS: "3" });
  const routes = await Promise.all(
    routeFiles(process.cwd())
      .filter(({ file }) => /\(payer\)|^app\/docs|openapi|callback\/\[/.test(file))
      .map(async ({ file, pattern }) => ({
        pattern,
        module: (await import(`@/${file}`)) as Record<string, unknown>,
      })),
  );
  started = await startServer(routes, (_request, response) => response.writeHead(404).end());
});
afterAll(async () => {
  started.stop();
  await closePool();
});

let networks = 0;
const someAddress = () => `198.51.${100 + Math.floor(++networks / 250)}.${networks % 250}`;

const ask = (path: string, from: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${started.port}${path}`, {
    redirect: "manual",
    ...init,
    headers: { accept: "text/html", "x-forwarded-for": from, ...init.headers },
  });
const times = async (count: number, call: () => Promise<Response>) => {
  const statuses: number[] = [];
  for (let done = 0; done < count; done++) {
    const response = await call();
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  return statuses;
};

describe("requests of one address", () => {
  test.each([
    ["/pay?id=no-link", 404],
    ["/pay/return?payment_id=no-payment", 404],
    [`/activate/${"0".repeat(64)}`, 404],
    ["/activate/return?id=no-token", 404],
    ["/thank-you?payment_id=no-receipt", 404],
    [`/receipt/${"0".repeat(24)}-${"0".repeat(24)}`, 404],
    [`/logo/${"0".repeat(64)}`, 404],
    ["/simulator/no-session", 404],
    ["/docs/api", 200],
    ["/api/openapi.json", 200],
  ])("to %s are refused above the limit", async (path, status) => {
    const from = someAddress();
    expect(await times(5, () => ask(path, from))).toEqual([status, status, status, 429, 429]);
    expect((await ask(path, someAddress())).status).toBe(status);
  });

  test("are counted over all pages together, and read a sentence that says when to come back", async () => {
    const from = someAddress();
    for (const path of ["/pay?id=none", "/docs/api", "/simulator/none"]) await ask(path, from);
    const refused = await ask("/pay?id=none", from);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(refused.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(refused.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(refused.headers.get("cache-control")).toBe("no-store");
    expect(await refused.text()).toContain(`wait ${seconds} seconds`);
  });

  test("to the OpenAPI document by a program are refused as JSON", async () => {
    const from = someAddress();
    const headers = { accept: "application/json" };
    await times(3, () => ask("/api/openapi.json", from, { headers }));
    const refused = await ask("/api/openapi.json", from, { headers });
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { message: "Too many requests.", code: "too_many_requests", errors: {} },
    ]);
  });
});

describe("requests to one link", () => {
  test("from many addresses are refused above five times the limit, to read and to pay; another link's are not", async () => {
    const shop = await newShop();
    const [link, other] = [await newLink(shop), await newLink(shop)];
    const statuses = await times(15, () => ask(`/pay?id=${link._id}`, someAddress()));
    expect(statuses).toEqual(Array.from({ length: 15 }, () => 200));
    const pay = (id: string) =>
      ask("/pay", someAddress(), {
        method: "POST",
        body: new URLSearchParams({ id, version: "1" }),
      });
    expect((await ask(`/pay?id=${link._id}`, someAddress())).status).toBe(429);
    expect((await pay(link._id)).status).toBe(429);
    expect((await pay(other._id)).status).toBe(303);
  });
});

describe("callbacks", () => {
  const body = "{}";
  test("that are refused count against their address as any failed authentication", async () => {
    const shop = await newStripeShop(peer);
    const path = `/api/gateways/stripe/callback/${shop.connectionId}`;
    const from = someAddress();
    const send =
      (to: string, address = from) =>
      () =>
        ask(to, address, { method: "POST", body });
    expect(await times(2, send(path))).toEqual([400, 400]);
    expect(await times(2, send("/api/gateways/stripe/callback/none"))).toEqual([404, 429]);
    const refused = await send(path)();
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(await times(1, send(path, someAddress()))).toEqual([400]);
  });

  test("that are rightly signed are taken however many came from their address", async () => {
    const shop = await newStripeShop(peer);
    const path = `/api/gateways/stripe/callback/${shop.connectionId}`;
    const from = someAddress();
    await times(4, () => ask(path, from, { method: "POST", body }));
    await paidAtStripe(shop);
    for (const { body: event } of shop.bank.events) {
      const headers = { "stripe-signature": signed(event, shop.webhookSecret) };
      expect((await ask(path, from, { method: "POST", body: event, headers })).status).toBe(200);
    }
    expect(shop.bank.events.length).toBeGreaterThan(0);
  });
});
