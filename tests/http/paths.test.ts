import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { succeed } from "@/lib/http/respond";
import { Line, startServer, statusesIn } from "./raw-server";

// Whatever Next.js would fold into the path of a route file must not reach Next.js: it would call the file past our limits and log.

let started: Awaited<ReturnType<typeof startServer>>;
let pages: { url: string; headers: Record<string, unknown> }[] = [];
let routed = 0;

const route = async () => {
  routed++;
  return succeed({}, {});
};

beforeAll(async () => {
  started = await startServer(
    ["/api/health", "/api/[...path]", "/pay", "/pay/return", "/activate/[token]", "/docs/api"].map(
      (pattern) => ({ pattern, module: { GET: route, POST: route } }),
    ),
    (request, response) => {
      pages.push({ url: request.url ?? "", headers: { ...request.headers } });
      response.writeHead(200).end("a page");
    },
  );
});
beforeEach(() => {
  pages = [];
  routed = 0;
});
afterAll(() => started.stop());

const ask = async (method: string, target: string, headers = "") =>
  statusesIn(
    await new Line(started.port)
      .send(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`)
      .end(),
  )[0];

test.each([
  "/x/../api/health",
  "/x/..%2fapi/health",
  "/x/%2e%2e/api/health",
  "/x/%2E%2e/api/health",
  "/x/.%2E/api/health",
  "/x/%2e./api/health",
  "/./api/health",
  "/%2e/api/health",
  "/x/%2e%2e%2fapi/health",
  "/x/..%5capi/health",
  "/x/..\\api/health",
  "/_next/static/../../api/health",
  "/_next/static/%2e%2e/%2e%2e/pay",
  "/..",
  "/x/.",
  "//api/health",
  "/x//..//api/health",
  "/api//health",
  "/api/health//",
  "/api/health#x",
  "/api/health#/../x",
  "/api/./health",
  "/api/../pay",
  "/pay\xa0",
  "http://x/api/health",
  "*",
])("%s is refused before any routing", async (target) => {
  expect(await ask("GET", target)).toBe(400);
  expect([routed, pages]).toEqual([0, []]);
});

test.each([
  "/Pay",
  "/PAY/return",
  "/pay%2freturn",
  "/pay%2Freturn",
  "/%70ay",
  "/p%61y/return",
  "/%2561pi/health",
  "/%61pi/health",
  "/%252e%252e/pay",
  "/x/%252e%252e%252fpay",
  "/pay%3fid=1",
  "/pay%23",
  "/pay;x=1",
  "/pay.rsc",
  "/pay.json",
  "/pay.txt",
  "/docs/api.html",
  "/pay.segments/_tree.segment.rsc",
  "/pay.segment.rsc",
  "/pay.rsc.json.html",
  "/pay.txt.segments/a.b/c",
  "/_next/data/build/pay.json",
  "/_next/data/build/api/health.json",
  "/_next/data/build/x.json",
  "/_next/image",
  "/index/pay",
  "/%2fpay",
  "/pay%2f",
  "/pay%5creturn",
  "/pay%zz",
  "/%25252525252570ay",
])("%s reaches neither a route file nor Next.js", async (target) => {
  expect(await ask("GET", target)).toBe(404);
  expect([routed, pages]).toEqual([0, []]);
});

test.each([
  "/",
  "/sign-in",
  "/b/1001/test/payment-links?q=a%2Fb#x",
  "/b/1001/test/payment-links/6740f1c09a3be27d51c8e4f0",
  "/_next/static/chunks/app/%5Bid%5D/page-0a1b.js",
  "/docs",
  "/payments",
  "/icon.svg?a=../api/health",
  "/.well-known/security.txt",
])("%s is a page and goes to Next.js as it came", async (target) => {
  expect(await ask("GET", target)).toBe(200);
  expect(pages.map(({ url }) => url)).toEqual([target]);
});

test.each(["/api/health", "/api/health/", "/api/nothing/%2f", "/pay?id=../x", "/activate/%61"])(
  "%s reaches a route",
  async (target) => {
    expect(await ask("GET", target)).toBe(200);
    expect([routed, pages]).toEqual([1, []]);
  },
);

test("a path that is longer than any page's reaches no page", async () => {
  const path = `/${"a".repeat(2_047)}`;
  expect([await ask("GET", path), await ask("GET", `${path}a`)]).toEqual([200, 404]);
  expect(pages.map(({ url }) => url)).toEqual([path]);
});

test("pages take GET and HEAD alone", async () => {
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
    expect([
      method,
      await ask(method, "/sign-in", "Next-Action: x\r\nContent-Length: 0\r\n"),
    ]).toEqual([method, 405]);
  expect(pages).toEqual([]);
  expect(await ask("HEAD", "/sign-in")).toBe(200);
});

test("headers that speak to the inside of Next.js do not get there; those of its browser part do", async () => {
  const inner = [
    "x-middleware-subrequest",
    "x-middleware-rewrite",
    "x-invoke-path",
    "x-matched-path",
    "x-now-route-matches",
    "x-nextjs-data",
    "x-next-resume-state-length",
    "next-resume",
  ];
  await ask("GET", "/sign-in", inner.map((name) => `${name}: /api/health\r\n`).join(""));
  await ask("GET", "/sign-in", "RSC: 1\r\nNext-Router-Prefetch: 1\r\n");
  const [attacked, used] = pages;
  expect(inner.filter((name) => name in (attacked?.headers ?? {}))).toEqual([]);
  expect(used?.headers).toMatchObject({ rsc: "1", "next-router-prefetch": "1" });
});

test("a check by HTTP/1.0, which names no host, gets its answer; HTTP/1.1 without one does not", async () => {
  const plain = (version: string) =>
    new Line(started.port).send(`GET /api/health HTTP/${version}\r\n\r\n`).end();
  expect(statusesIn(await plain("1.0"))).toEqual([200]);
  expect(statusesIn(await plain("1.1"))).toEqual([400]);
});

test("every answer of the fallback says that its type is not to be guessed", async () => {
  const received = await new Line(started.port)
    .send("GET /_next/static/a.js HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    .end();
  expect(received).toMatch(/^x-content-type-options: nosniff\r$/im);
});
