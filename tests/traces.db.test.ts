import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { env, provideEnv } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { traced, traceIds } from "@/lib/kernel/trace";
import { startTracing } from "@/lib/kernel/tracing";
import { visitAsPayer } from "@/lib/operator/payer-browser";
import { bearer, data, keyCall, link, newOffice, type Office } from "./dashboard/setting";
import { serveRoutes } from "./served";
import { answer } from "./webhooks/receiver";
import { endpointAt, runnerOf, states, until } from "./webhooks/setting";
import { openReceiver } from "./webhooks/world";

type Value = { stringValue?: string; intValue?: number };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status?: { code?: number };
  attributes: { key: string; value: Value }[];
};
type Sent = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };

/** A collector that keeps what it is sent. */
let sent: string[] = [];
let authorizations: (string | undefined)[] = [];
const collector = createServer(async (request, response) => {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  if (request.url === "/v1/traces") sent.push(text);
  authorizations.push(request.headers.authorization);
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
const spans = () =>
  sent.flatMap((text) =>
    (JSON.parse(text) as Sent).resourceSpans.flatMap((one) =>
      one.scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
const said = (span: Span) =>
  Object.fromEntries(
    span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );

let shop: Awaited<ReturnType<typeof serveRoutes>>;
let office: Office;
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  shop = await serveRoutes();
  office = await newOffice();
});
afterAll(async () => {
  await shop.close();
  await new Promise((resolve) => collector.close(resolve));
  await closePool();
});

/** Runs `work` with tracing on and returns the spans that the collector was sent. */
async function tracing(work: () => Promise<void>, settings = {}): Promise<Span[]> {
  sent = [];
  authorizations = [];
  provideEnv({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=collector-key",
    OTEL_TRACES_SAMPLER_ARG: "1",
    TRUSTED_PROXIES: "",
    ...settings,
  });
  const end = await startTracing();
  try {
    await work();
  } finally {
    await end();
    provideEnv({ OTEL_EXPORTER_OTLP_ENDPOINT: "", TRUSTED_PROXIES: "" });
  }
  return spans();
}

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${shop.origin}/api${path}`, {
    ...init,
    headers: { ...bearer(office.key), "content-type": "application/json", ...init.headers },
  });

test("one trace leads from the payer's request to its statements, the gateway and the webhook, and holds nothing of the payer", async () => {
  const receiver = await openReceiver(answer(200));
  const { secret } = await endpointAt(office.shop.ctx, `${receiver.url}?key=receiver-key`, [
    "payment_link.paid",
  ]);
  const payer = {
    email: "traced.payer@example.com",
    title: "A traced thing",
    phone_no: "+60123456789",
  };
  let made: { _id: string; payment_url: string } | undefined;
  let requestId: string | null = null;
  const all = await tracing(async () => {
    const created = await call("/payment-links", {
      method: "POST",
      body: JSON.stringify(link(payer)),
    });
    requestId = created.headers.get("x-request-id");
    made = ((await created.json()) as { data: typeof made }).data;
    await visitAsPayer(shop.origin, made?.payment_url ?? "", "approve");
    await until(runnerOf(office.shop.ctx), () => states(office.shop.ctx), { delivered: 1 });
  });
  const create = all.find((span) => span.name === "POST /api/payment-links");
  expect(create).toMatchObject({ kind: 2 });
  expect(create?.parentSpanId).toBeFalsy();
  expect(said(create as Span)).toEqual({
    "http.request.method": "POST",
    "http.route": "/api/payment-links",
    "http.response.status_code": 200,
    "kutip.request_id": requestId,
  });
  const inside = all.filter((span) => span.traceId === create?.traceId);
  const statements = inside.filter((span) => span.name.startsWith("sql "));
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.map((span) => said(span)["db.query.text"]).join()).toContain("payment_links");

  const webhook = all.find((span) => span.name === "webhook");
  expect(said(webhook as Span)["http.response.status_code"]).toBe(200);
  const path: string[] = [];
  for (let at = webhook; at; at = all.find(({ spanId }) => spanId === at?.parentSpanId))
    path.push(at.name);
  expect(path.at(-1)).toMatch(/^(GET|POST) \//);
  const ofPayment = all.filter((span) => span.traceId === webhook?.traceId).map(({ name }) => name);
  expect(ofPayment.some((name) => name.startsWith("sql "))).toBe(true);
  const calls = all.filter((span) => span.name.startsWith("gateway "));
  expect(calls.map(({ name }) => name)).toContain("gateway beginPayment");
  for (const one of calls) {
    expect(said(one)).toMatchObject({ "kutip.gateway": "simulator" });
    expect(all.find(({ spanId }) => spanId === one.parentSpanId)).toBeDefined();
  }

  expect(authorizations).toContain("collector-key");
  const text = sent.join();
  for (const kept of [
    ...Object.values(payer),
    office.key,
    secret,
    made?._id ?? "no id",
    new URL(made?.payment_url ?? "").search,
    "receiver-key",
    office.cookie,
  ])
    expect(text.includes(kept), kept).toBe(false);
});

test("a failure is marked with its code and without its words", async () => {
  const all = await tracing(async () => {
    expect((await call("/packages/ffffffffffffffffffffffff")).status).toBe(404);
    const secret = Object.assign(new Error("the card of ana@example.com"), { code: "ECONNRESET" });
    await expect(traced({ name: "fails" }, () => Promise.reject(secret))).rejects.toBe(secret);
  });
  expect(all.find(({ name }) => name === "fails")).toMatchObject({ status: { code: 2 } });
  expect(said(all.find(({ name }) => name === "fails") as Span)).toEqual({
    "error.type": "ECONNRESET",
  });
  const missed = all.find(({ name }) => /^GET \/api\/packages\/./.test(name)) as Span;
  expect(said(missed)["http.response.status_code"]).toBe(404);
  for (const kept of ["ana@example.com", "ffffffffffffffffffffffff"])
    expect(sent.join().includes(kept), kept).toBe(false);
});

test("a request continues the trace of a trusted proxy, and of nobody else", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const trusted = await tracing(async () => void (await call("/packages", { headers })), {
    TRUSTED_PROXIES: "127.0.0.1",
  });
  const request = ({ name }: Span) => name === "GET /api/packages";
  expect(trusted.find(request)).toMatchObject({ traceId, parentSpanId: "b7ad6b7169203331" });
  const stranger = await tracing(async () => void (await call("/packages", { headers })));
  expect(stranger.find(request)?.traceId).not.toBe(traceId);
});

test("a share of 0 traces nothing but what a trusted proxy sampled, whole", async () => {
  const sampled = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
  const all = await tracing(
    async () => {
      await call("/packages");
      await call("/webhook-endpoints", { headers: sampled });
    },
    { OTEL_TRACES_SAMPLER_ARG: "0", TRUSTED_PROXIES: "127.0.0.1" },
  );
  expect(new Set(all.map((span) => span.traceId))).toEqual(
    new Set(["0af7651916cd43dd8448eb211c80319c"]),
  );
  expect(all.some(({ name }) => name.startsWith("sql "))).toBe(true);
});

test("log lines within a trace name it, and others do not", async () => {
  let within = {};
  const all = await tracing(() =>
    traced({ name: "logs" }, async () => {
      within = traceIds();
    }),
  );
  const span = all.find(({ name }) => name === "logs");
  expect(within).toEqual({ trace_id: span?.traceId, span_id: span?.spanId });
  expect(traceIds()).toEqual({});
  expect(log.isLevelEnabled(env.LOG_LEVEL)).toBe(true);
});

test("without a collector nothing is sent and events name no trace", async () => {
  sent = [];
  const end = await startTracing();
  data(await keyCall(office, "POST", "/payment-links", link()));
  await end();
  expect(sent).toEqual([]);
  expect(traceIds()).toEqual({});
});
