import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { GET as metricsGet } from "@/app/metrics/route";
import { closePool, pool } from "@/db/client";
import { shortRead } from "@/db/short-read";
import { modes, paymentStatuses } from "@/lib/contract/values";
import { env, provideEnv } from "@/lib/env";
import { gatewayFor } from "@/lib/gateways/registry";
import { serveMetrics } from "@/lib/http/metrics-server";
import { describeProcess, metricsText } from "@/lib/http/metrics-text";
import { metrics } from "@/lib/kernel/metrics";
import { allJobs } from "@/lib/worker/all-jobs";
import { readFigures } from "@/lib/worker/figures";
import { freePort } from "@/scripts/prove/parts/service";
import { newTenant, routes, type Tenant } from "../contract/setting";
import { logged } from "../log-lines";
import { newLink, newShop, press } from "../money/setting";
import { startServer } from "./raw-server";

vi.mock(import("@/db/short-read"), { spy: true });

const TOKEN = "a-token-of-thirty-two-characters-";
const direct = env.DATABASE_URL ?? "";
let served: Awaited<ReturnType<typeof startServer>>;
let tenant: Tenant;

beforeAll(async () => {
  describeProcess({ name: "web", isStopping: () => false });
  tenant = await newTenant();
  served = await startServer(routes, (_request, response) => response.writeHead(200).end());
});
beforeEach(() => {
  vi.mocked(shortRead).mockClear();
});
afterEach(async () => {
  // A scrape gives up sooner than its read, which the next test would share.
  await readFigures(() => clock);
  // The pools of a test without a database lead nowhere.
  provideEnv({ METRICS_ADDRESS: "", METRICS_TOKEN: "", DATABASE_URL: direct });
  await closePool();
});
afterAll(() => {
  served.stop();
});

type Sample = { name: string; labels: Record<string, string>; value: number };

function samplesIn(text: string): Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return {
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]),
        ),
        value: Number(value.replace("+Inf", "Infinity")),
      };
    });
}
const samples = async () => samplesIn(await metricsText());
const figure = (all: Sample[], name: string, labels: Record<string, string> = {}) =>
  all.find(
    (one) =>
      one.name === name &&
      Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  )?.value;
let clock = 1e9;
/** Figures are read again at once, as if many minutes had passed. */
const readAnew = () => {
  clock += 1e6;
  return readFigures(() => clock);
};

const call = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${served.port}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${tenant.keys.test}`, ...init.headers },
  });
const newId = (n: number) => n.toString(16).padStart(24, "0");

/** Every value that a label may have, by the label. What is not here fails the test below. */
const LABELS: Record<string, (value: string) => boolean> = {
  route: (value) =>
    ["page", "static", "none"].includes(value) ||
    routes.some(({ pattern }) => pattern.replace(/\[(?:\.\.\.)?([^\]]+)\]/g, "{$1}") === value),
  method: (value) => /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|other)$/.test(value),
  status: (value) => /^[1-5]xx$/.test(value) || paymentStatuses.some((status) => status === value),
  mode: (value) => modes.some((mode) => mode === value),
  currency: (value) => /^[A-Z]{3}$/.test(value),
  gateway: (value) => gatewayFor(value) !== undefined,
  call: (value) => typeof Reflect.get(gatewayFor("simulator") ?? {}, value) === "function",
  outcome: (value) => /^[a-z_]{4,20}$/.test(value),
  kind: (value) => [...allJobs.jobs, ...allJobs.tasks].some(({ name }) => name === value),
  figures: (value) => /^[a-z ]{4,20}$/.test(value),
  pool: (value) => ["request", "long", "heavyRead", "replica", "check"].includes(value),
  limit: (value) => /^[a-z_]{3,25}$/.test(value),
  process: (value) => ["web", "worker"].includes(value),
  version: () => true,
  le: (value) => Number(value.replace("+Inf", "Infinity")) > 0,
};

test("labels hold declared names alone, and nothing of payers, keys or records", async () => {
  const made = await call("/api/payment-links", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      email: "ana.secret@example.com",
      currency: "MYR",
      amount: 1_250,
      title: "Satay for two",
      reference: "order-998877",
    }),
  });
  const { data } = (await made.json()) as { data: { _id: string } };
  await call(`/api/payment-links/${data._id}`);
  await call(`/api/payment-links/${data._id}`, { method: "DELETE" });
  await call("/api/payment-links/not-an-id-but-a-secret");
  await call("/somewhere/with-a-secret?token=secret");
  await call("/_next/static/secret.js");
  await call("/api/secret/secret", { method: "REPORT" });
  const shop = await newShop();
  await press(shop, (await newLink(shop))._id);
  await readAnew();
  const text = await metricsText();
  const found = samplesIn(text).filter(({ name }) => name.startsWith("kutip_"));
  expect(figure(found, "kutip_http_requests_total", { route: "/api/payment-links" })).toBe(1);
  expect(figure(found, "kutip_gateway_calls_total", { call: "beginPayment" })).toBe(1);
  expect(figure(found, "kutip_payments", { status: "requires_action" })).toBe(1);
  for (const { name, labels } of found)
    for (const [label, value] of Object.entries(labels))
      expect(LABELS[label]?.(value), `${name}{${label}="${value}"}`).toBe(true);
  for (const secret of ["secret", "ana", "998877", "Satay", data._id, tenant.keys.test])
    expect(text).not.toContain(secret);
});

test("the number of series does not grow with the addresses that are asked for", async () => {
  const ask = async (from: number) => {
    for (let n = from; n < from + 20; n++) {
      await call(`/api/payment-links/${newId(n)}`);
      await call(`/unknown/${n}`);
    }
    return (await samples()).filter(({ name }) => name.startsWith("kutip_http")).length;
  };
  const first = await ask(0);
  expect(await ask(20)).toBe(first);
});

test("a call that is refused by a limit is counted under its limit", async () => {
  const refused = async () =>
    figure(await samples(), "kutip_limit_refusals_total", { limit: "anonymous" }) ?? 0;
  const before = await refused();
  provideEnv({ METRICS_TOKEN: TOKEN, RATE_LIMIT_ANONYMOUS: "1" });
  const statuses = [];
  for (let n = 0; n < 3; n++)
    statuses.push(
      (
        await metricsGet(new Request("http://localhost:3000/metrics"), {
          served: true,
          clientAddress: "192.0.2.200",
        })
      ).status,
    );
  provideEnv({ RATE_LIMIT_ANONYMOUS: "" });
  expect(statuses).toEqual([401, 429, 429]);
  expect(await refused()).toBe(before + 2);
});

test("the web port serves metrics to the token alone, and not at all without one", async () => {
  const ask = async (authorization?: string) => {
    const response = await metricsGet(
      new Request("http://localhost:3000/metrics", {
        headers: authorization === undefined ? {} : { authorization },
      }),
      { served: true, clientAddress: "192.0.2.201" },
    );
    return [response.status, /kutip_build_info/.test(await response.text())];
  };
  expect(await ask(`Bearer ${TOKEN}`)).toEqual([404, false]);
  provideEnv({ METRICS_TOKEN: TOKEN });
  for (const wrong of [undefined, "", "Bearer ", `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN])
    expect(await ask(wrong)).toEqual([401, false]);
  expect(await ask(`Bearer ${TOKEN}`)).toEqual([200, true]);
});

/** This process's metrics on a port of their own. */
async function ownPort(isStopping: () => boolean) {
  const port = await freePort();
  provideEnv({ METRICS_ADDRESS: `127.0.0.1:${port}` });
  const server = serveMetrics("worker", isStopping);
  if (!server) throw new Error("nothing listens");
  await once(server, "listening");
  return {
    ask: async (path: string, init?: RequestInit) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, init)).status,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("the port of its own serves metrics and the three health addresses", async () => {
  let isStopping = false;
  const { ask, stop } = await ownPort(() => isStopping);
  expect(await ask("/metrics")).toBe(200);
  expect(await ask("/api/health/live")).toBe(200);
  expect(await ask("/api/health/ready")).toBe(200);
  // No worker has ever been there.
  expect(await ask("/api/health")).toBe(503);
  expect(await ask("/api/payment-links")).toBe(404);
  expect(await ask("/constructor")).toBe(404);
  expect(await ask("/metrics", { method: "POST" })).toBe(405);
  isStopping = true;
  expect(await ask("/api/health/ready")).toBe(503);
  expect(await ask("/api/health/live")).toBe(200);
  stop();
});

test("the port of its own asks for the token where one is set", async () => {
  provideEnv({ METRICS_TOKEN: TOKEN });
  const { ask, stop } = await ownPort(() => false);
  expect(await ask("/metrics")).toBe(401);
  expect(await ask("/metrics", { headers: { authorization: `Bearer ${TOKEN}` } })).toBe(200);
  expect(await ask("/api/health/live")).toBe(200);
  stop();
});

test("without a setting nothing listens", () => {
  expect(serveMetrics("web", () => false)).toBeUndefined();
});

test("however often metrics are asked for, the database is asked for its figures once in an interval", async () => {
  const read = () => readFigures(() => clock);
  await readAnew();
  const once = vi.mocked(shortRead).mock.calls.length;
  expect(once).toBeGreaterThan(3);
  for (let n = 0; n < 10; n++) await read();
  expect(vi.mocked(shortRead)).toHaveBeenCalledTimes(once);
  clock += 10_000;
  await Promise.all([read(), read(), read()]);
  // The money is read once a minute.
  expect(vi.mocked(shortRead)).toHaveBeenCalledTimes(once + once - 1);
});

test("figures are read while every connection for requests is taken", async () => {
  const taken = await Promise.all(
    Array.from({ length: env.DATABASE_POOL }, () => pool("request").connect()),
  );
  try {
    await readAnew();
    const all = await samples();
    expect(figure(all, "kutip_figures_read", { figures: "due work" })).toBe(1);
    expect(figure(all, "kutip_pool_connections_idle", { pool: "request" })).toBe(0);
    expect(figure(all, "kutip_job_due_rows", { kind: "deliver webhooks" })).toBe(0);
  } finally {
    for (const client of taken) client.release();
  }
});

test("a database that says nothing keeps a scrape for less than two seconds, and the process's own metrics are there", async () => {
  const silent = createTcpServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  provideEnv({
    DATABASE_URL: `postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`,
  });
  await closePool();
  const began = performance.now();
  const all = await samples();
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(figure(all, "process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(figure(all, "kutip_build_info")).toBe(1);
  await closePool();
  silent.close();
});

test("without a database the process is not ready, and figures that are too old are left out", async () => {
  describeProcess({ name: "web", isStopping: () => false });
  await readAnew();
  provideEnv({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
  await closePool();
  await readAnew();
  await expect.poll(async () => figure(await samples(), "kutip_ready", { process: "web" })).toBe(0);
  const all = await samples();
  expect(figure(all, "kutip_figures_read", { figures: "due work" })).toBe(0);
  expect(all.some(({ name }) => name === "kutip_job_due_rows")).toBe(false);
  expect(all.some(({ name }) => name === "kutip_worker_seen_seconds_ago")).toBe(false);
  expect(metrics.getSingleMetric("kutip_job_due_rows")).toBeDefined();
});

test("a business with stuck work is named in the log when metrics are read, once", async () => {
  const shop = await newShop();
  const { _id } = await newLink(shop);
  const { businessId } = shop.ctx;
  await pool().query(
    "update payment_links set expires_at = now() - interval '1 hour', failures = 1 where id = $1",
    [_id],
  );
  const lines = await logged(async () => {
    await readAnew();
    await readAnew();
  });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ stuck: { "expire links": [[businessId]] } }),
  ]);
});
