import { afterAll, beforeAll, expect, test } from "vitest";
import { readJson } from "@/lib/http/body";
import { problemOf } from "@/lib/http/problems";
import { fail, succeed } from "@/lib/http/respond";
import { metrics } from "@/lib/kernel/metrics";
import { Line, startServer, statusesIn } from "./raw-server";

let started: Awaited<ReturnType<typeof startServer>>;
let begin = () => {};
let released: Promise<void>;

/** The next request of the held route waits until it is released. */
function hold(): { isHeld: Promise<void>; release: () => void } {
  let release = () => {};
  const isHeld = new Promise<void>((resolve) => (begin = resolve));
  released = new Promise<void>((resolve) => (release = resolve));
  return { isHeld, release };
}

const held = async () => {
  begin();
  await released;
  return succeed({ held: true }, {});
};

async function echo(request: Request): Promise<Response> {
  try {
    return succeed((await readJson(request)).value, {});
  } catch (error) {
    return fail(problemOf(error, "a test"), {});
  }
}

const hello = async () => succeed({ hello: true }, {});

beforeAll(async () => {
  started = await startServer(
    [
      { pattern: "/api/echo", module: { GET: hello, POST: echo } },
      { pattern: "/api/held", module: { GET: held } },
    ],
    (_request, response) => void response.writeHead(200).write("a part of a page"),
    { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 },
  );
});
afterAll(() => started.stop());

const get = "GET /api/echo HTTP/1.1\r\nHost: x\r\n";
const post = "POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
const long = "a".repeat(20_000);

const refused: [string, string, number, string][] = [
  ["raw UTF-8 in the query", "GET /api/echo?q=\xc3\xbc HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""],
  ["a header without a colon", `${get}Nothing\r\n\r\n`, 400, ""],
  ["no Host", "GET /api/echo HTTP/1.1\r\n\r\n", 400, ""],
  ["no Host, of a page", "GET /sign-in HTTP/1.1\r\n\r\n", 400, ""],
  [
    "a length and chunks",
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
    400,
    "",
  ],
  ["a chunk without a size", `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, ""],
  ["headers above 16 KiB", `${get}X-Long: ${long}\r\n\r\n`, 431, ""],
  ["headers that do not end", `${get}X-Slow: `, 408, ""],
  ["a body that does not end", `${post}Content-Length: 100\r\n\r\n{"a`, 408, ""],
  ["an unknown Expect", `${get}Expect: the-best\r\n\r\n`, 417, ""],
  [
    "chunk extensions above 16 KiB",
    `${post}Transfer-Encoding: chunked\r\n\r\n2;${long}\r\n{}\r\n0\r\n\r\n`,
    413,
    "payload_too_large",
  ],
];

test.each(refused)(
  "a request with %s gets a failure in its documented shape",
  async (_, bytes, status, code) => {
    const received = await new Line(started.port).send(bytes).end();
    expect(statusesIn(received)).toEqual([status]);
    expect(JSON.parse(/\{.*\}/s.exec(received)?.[0] ?? "null")).toEqual({
      message: expect.stringMatching(/^[A-Z].+\.$/),
      code: code || "malformed_request",
      errors: {},
    });
    for (const header of [
      "content-type: application/json",
      "cache-control: no-store",
      "x-content-type-options: nosniff",
      "connection: close",
      "x-request-id: [0-9a-f-]{36}",
    ])
      expect(received).toMatch(new RegExp(`^${header}\r$`, "im"));
    await expect.poll(() => started.sockets.size).toBe(0);
  },
);

test.each([
  ["refused", "GET /\xc3\xbc HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["broken in its body", `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
])(
  "where the second of two requests is %s, the answer to the first comes first",
  async (_, second) => {
    const { isHeld, release } = hold();
    const line = new Line(started.port).send(`GET /api/held HTTP/1.1\r\nHost: x\r\n\r\n${second}`);
    await isHeld;
    release();
    const received = await line.end();
    expect(statusesIn(received)).toEqual([200, 400]);
    expect(received.indexOf('"held":true')).toBeLessThan(received.indexOf("malformed_request"));
  },
);

test("a request that breaks after its answer began gets no second answer", async () => {
  const line = new Line(started.port).send(
    "GET /sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
  );
  await line.until(/a part of a page/);
  const received = await line.send("zz\r\n").end();
  expect(statusesIn(received)).toEqual([200]);
  expect(received).not.toContain("malformed_request");
});

test("a request that was read before is answered, and the broken one after it too", async () => {
  const line = new Line(started.port).send(`${get}\r\n`);
  await line.until(/\}$/);
  expect(statusesIn(await line.send("nonsense\r\n\r\n").end())).toEqual([200, 400]);
});

const refusedRequests = async () => {
  const text = await metrics.metrics();
  const counts = text.matchAll(/^kutip_http_requests_total\{route="none".* (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

test("each refused request is counted once, a connection without a request never", async () => {
  const before = await refusedRequests();
  await new Line(started.port).end();
  expect(await refusedRequests()).toBe(before);
  await new Line(started.port).send("GET /\xc3\xbc HTTP/1.1\r\nHost: x\r\n\r\n").end();
  await new Line(started.port).send("GET / HTTP/1.1\r\n\r\n").end();
  await expect.poll(refusedRequests).toBe(before + 2);
});
