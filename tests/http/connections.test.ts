import { afterEach, expect, test, vi } from "vitest";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { provideEnv } from "@/lib/env";
import { watchConnections } from "@/lib/http/connections";
import { succeed } from "@/lib/http/respond";
import { Line, startServer, statusesIn } from "./raw-server";

const LIMIT_MS = 30_000;
const CHUNK = Buffer.alloc(64 * 1024, "x");
// More than the kernel keeps for two sockets, so that the server must have sent more in between.
const STEP_BYTES = 16 * 1024 * 1024;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const endless: RequestListener = (_request, response) => {
  const more = () => {
    while (response.write(CHUNK));
  };
  response.on("drain", more);
  more();
};
const oneWrite: RequestListener = (_request, response) =>
  void response.end(Buffer.alloc(6 * STEP_BYTES));

/** A server with a large response, and a look at its connections by a clock of the test's. */
async function largeServer(respond: RequestListener) {
  const server = createServer(respond);
  const check = watchConnections(server, { perAddress: 0, stalledResponseMs: LIMIT_MS });
  const held = new Set<Socket>();
  server.on("connection", (socket) => {
    held.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => held.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => undefined);
    ends.push(() => socket.destroy());
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    return socket;
  };
  return { client, check, held };
}

/** Resolves when the kernel takes no more of what waits for this reader. */
async function stuck(socket: Socket): Promise<void> {
  const queue = () =>
    (socket as Socket & { _handle?: { writeQueueSize: number } })._handle?.writeQueueSize ?? 0;
  const seen = () => `${socket.bytesWritten} ${queue()}`;
  for (let same = 0, last = ""; same < 50; ) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (queue() > 0 && seen() === last) same++;
    else [same, last] = [0, seen()];
  }
}

test("a response of which nothing is accepted for 30 seconds is cut, whatever its reader sends meanwhile", async () => {
  const { client, check, held } = await largeServer(endless);
  const silent = client();
  silent.pause();
  await expect.poll(() => held.size).toBe(1);
  const [socket] = held;
  await stuck(socket as Socket);
  // A plain close would leave what waits with the kernel.
  const reset = vi.spyOn(socket as Socket, "resetAndDestroy");
  check(0);
  silent.write("GET /again HTTP/1.1\r\nHost: x\r\n\r\n");
  check(LIMIT_MS - 1);
  expect(socket?.destroyed).toBe(false);
  check(LIMIT_MS);
  expect(socket?.destroyed).toBe(true);
  expect(reset).toHaveBeenCalledOnce();
  await expect.poll(() => held.size).toBe(0);
});

test.each([
  ["in many pieces", endless],
  ["in one piece", oneWrite],
])("a response %s that is read goes on, however long it takes", async (_, respond) => {
  const { client, check, held } = await largeServer(respond);
  const reader = client();
  let read = 0;
  for (let looks = 0; looks < 5; looks++) {
    for (const until = read + STEP_BYTES; read < until; )
      read += await new Promise<number>((resolve) =>
        reader.once("data", (part: Buffer) => resolve(part.length)),
      );
    check(looks * LIMIT_MS);
    expect(held.size).toBe(1);
  }
});

test("a connection without a waiting response is left alone", async () => {
  const server = createServer((_request, response) => response.writeHead(200).flushHeaders());
  const check = watchConnections(server, { perAddress: 0, stalledResponseMs: LIMIT_MS });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const stream = new Line((server.address() as AddressInfo).port).send(
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
  );
  await stream.until(/\r\n\r\n/);
  for (let looks = 0; looks < 5; looks++) check(looks * LIMIT_MS);
  expect(stream.socket.destroyed).toBe(false);
  const count = await new Promise<number>((resolve) =>
    server.getConnections((_, found) => resolve(found)),
  );
  expect(count).toBe(1);
  stream.socket.destroy();
});

const thing = async () => succeed({}, {});
const big = async () => new Response(new Uint8Array(64 * 1024 * 1024));
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const routes = [
  { pattern: "/api/thing", module: { GET: thing } },
  { pattern: "/api/big", module: { GET: big } },
];

test("our server cuts readers that do not read, of its own responses and of pages, and leaves no socket", async () => {
  const { port, sockets, stop } = await startServer(
    routes,
    (_request, response) => response.writeHead(200).end(Buffer.alloc(64 * 1024 * 1024)),
    { stalledResponseMs: 300, connectionsCheckingInterval: 50 },
  );
  ends.push(stop);
  for (const path of ["/api/big", "/page"]) {
    const socket = connect(port, "127.0.0.1");
    ends.push(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.pause();
    socket.write(get(path).repeat(3));
  }
  await expect.poll(() => sockets.size).toBe(2);
  await expect.poll(() => sockets.size, { timeout: 10_000 }).toBe(0);
});

test("one address has no more connections than its bound, and gets another when one ends", async () => {
  const { port, sockets, stop } = await startServer(
    routes,
    (_request, response) => response.writeHead(404).end(),
    { perAddress: 3 },
  );
  ends.push(stop);
  const lines = Array.from({ length: 3 }, () => new Line(port).send(get("/api/thing")));
  for (const line of lines) await line.until(/\}$/);
  expect(await new Line(port).send(get("/api/thing")).end()).toBe("");
  for (const line of lines) expect(line.socket.destroyed).toBe(false);
  lines[0]?.socket.destroy();
  await expect.poll(() => sockets.size).toBe(2);
  expect(statusesIn(await new Line(port).send(get("/api/thing")).until(/\}$/))).toEqual([200]);
});

test("a trusted proxy has no bound", async () => {
  provideEnv({ TRUSTED_PROXIES: "127.0.0.1" });
  ends.push(() => provideEnv({ TRUSTED_PROXIES: "" }));
  const { port, stop } = await startServer(
    routes,
    (_request, response) => response.writeHead(404).end(),
    { perAddress: 3 },
  );
  ends.push(stop);
  const lines = Array.from({ length: 9 }, () => new Line(port).send(get("/api/thing")));
  for (const line of lines) expect(statusesIn(await line.until(/\}$/))).toEqual([200]);
});
