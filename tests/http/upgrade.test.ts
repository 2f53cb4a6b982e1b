import type { Server } from "node:http";
import type { Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readJson } from "@/lib/http/body";
import { problemOf } from "@/lib/http/problems";
import { fail, succeed } from "@/lib/http/respond";
import { Line, startServer, statusesIn } from "./raw-server";

// An upgraded socket is outside every time limit of the server, so no socket may be upgraded.

let started: Awaited<ReturnType<typeof startServer>>;
let taken = 0;

const hello = async () => succeed({ hello: true }, {});
async function echo(request: Request): Promise<Response> {
  try {
    return succeed((await readJson(request)).value, {});
  } catch (error) {
    return fail(problemOf(error, "a test"), {});
  }
}

beforeAll(async () => {
  started = await startServer(
    [{ pattern: "/api/echo", module: { POST: echo, GET: hello } }],
    (request, response) => {
      // Next.js does this with the first page that it serves.
      const { server } = request.socket as Socket & { server: Server };
      if (server.listenerCount("upgrade") === 0) server.on("upgrade", () => void taken++);
      response.writeHead(200).end("a page");
    },
    {
      // 400 clients at once take a while on a busy machine.
      headersTimeout: 5_000,
      requestTimeout: 5_000,
      connectionsCheckingInterval: 50,
      keepAliveTimeout: 200,
    },
  );
});
beforeEach(() => void (taken = 0));
afterAll(() => started.stop());

const body = '{"a":1}';
const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
// A page is refused: rendering one for each request of a flood would keep everyone else waiting.
const requests: [string, string, string, number][] = [
  ["a known path", "GET /api/echo HTTP/1.1\r\n", "", 200],
  ["an unknown path", "GET /x HTTP/1.1\r\n", "", 400],
  ["a POST with a body", `POST /api/echo HTTP/1.1\r\n${json}`, body, 200],
  [
    "a body in chunks",
    `POST /api/echo HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n`,
    `7\r\n${body}\r\n0\r\n\r\n`,
    200,
  ],
];
const protocols = [
  "Connection: Upgrade\r\nUpgrade: websocket\r\n",
  "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n",
  "Connection: keep-alive, upgrade\r\nUpgrade: TLS/1.3, h2c\r\n",
];

for (const page of ["before", "after"]) {
  test.each(requests)(
    `${page} the first page, %s asks in vain for an upgrade and is answered`,
    async (_, head, rest, status) => {
      if (page === "after")
        await new Line(started.port)
          .send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
          .end();
      for (const protocol of protocols) {
        const line = new Line(started.port).send(`${head}Host: x\r\n${protocol}\r\n`);
        // The body comes in a packet of its own.
        await new Promise<void>((resolve) => setImmediate(resolve));
        const received = await line.send(rest).end();
        expect(statusesIn(received)).toEqual([status]);
        // Node would lose a request that the client sent along with this one.
        expect(received).toMatch(/^connection: close\r$/im);
      }
      expect(taken).toBe(0);
    },
  );
}

test("many upgrade requests of clients that say nothing more leave no socket behind", async () => {
  const lines = Array.from({ length: 400 }, (_, index) =>
    new Line(started.port).send(
      `GET /${index % 2 ? "x" : "api/echo"} HTTP/1.1\r\nHost: x\r\n${protocols[index % 3]}\r\n`,
    ),
  );
  for (const [index, received] of (await Promise.all(lines.map((line) => line.end()))).entries())
    expect(statusesIn(received)).toEqual([index % 2 ? 400 : 200]);
  expect(taken).toBe(0);
  await expect.poll(() => started.sockets.size).toBe(0);
});

test("CONNECT opens no tunnel", async () => {
  const received = await new Line(started.port)
    .send("CONNECT /api/echo HTTP/1.1\r\nHost: x\r\n\r\n")
    .end();
  expect(statusesIn(received)).not.toContain(200);
});
