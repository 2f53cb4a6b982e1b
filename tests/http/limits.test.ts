import { connect } from "node:net";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loggable } from "@/lib/http/access-log";
import { readJson } from "@/lib/http/body";
import { problemOf } from "@/lib/http/problems";
import { fail, succeed } from "@/lib/http/respond";
import { makeServer } from "@/lib/http/serve";

// The server of the product with its limits shortened, so that they can be met in a test.
let server: Server;
let reached = 0;

async function echo(request: Request): Promise<Response> {
  reached++;
  try {
    return succeed((await readJson(request)).value, {});
  } catch (error) {
    return fail(problemOf(error, "a test"), {});
  }
}

const hello = async () => succeed({}, {});

beforeAll(async () => {
  server = makeServer(
    [{ pattern: "/api/echo", module: { POST: echo, GET: hello } }],
    (_request, response) => response.writeHead(404).end(),
    {
      headersTimeout: 200,
      requestTimeout: 400,
      connectionsCheckingInterval: 50,
      keepAliveTimeout: 300,
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends these bytes and nothing more. Returns what came back by the time the server ended the connection. */
function untilCut(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    let answer = "";
    socket.on("data", (part: Buffer) => (answer += part.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(answer));
    socket.write(bytes);
  });
}

test.each([
  ["headers that do not end", "POST /api/echo HTTP/1.1\r\nHost: x\r\nX-Slow: "],
  ["a request line that does not end", "POST /api"],
])("%s: the connection is cut with a 408", async (_, bytes) => {
  const before = reached;
  expect(await untilCut(bytes)).toMatch(/^HTTP\/1\.1 408 /);
  expect(reached).toBe(before);
});

test.each([
  ["with a length", 'Content-Length: 100\r\n\r\n{"a'],
  ["in chunks", 'Transfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n'],
])("a body %s that does not end: the connection is cut with a 408", async (_, rest) => {
  expect(
    await untilCut(
      `POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${rest}`,
    ),
  ).toMatch(/^HTTP\/1\.1 408 /);
});

test("a connection on which nothing is sent is ended, and one kept open too long as well", async () => {
  expect(await untilCut("")).toMatch(/^(HTTP\/1\.1 408 |$)/);
  expect(await untilCut("GET /api/echo HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ["/api/payment-links?cursor=secret", "/api/payment-links"],
  [`/api/payment-links/${"a1".repeat(12)}/cancel`, `/api/payment-links/${"a1".repeat(12)}/cancel`],
  [`/api/tokenizations/${"0f".repeat(32)}/charge`, "/api/tokenizations/*/charge"],
  [`/api/tokenizations/${"0F".repeat(32)}`, "/api/tokenizations/*"],
  [`/api/tokenizations/%30${"0f".repeat(31)}`, "/api/tokenizations/*"],
  ["/api/sk_test_abcDEF123", "/api/*"],
  ["/api/team/1001", "/api/team/1001"],
  ["/api/a\nb", "/api/*"],
])("the log has %s as %s", (target, path) => expect(loggable(target)).toBe(path));
