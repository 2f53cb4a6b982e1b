import { expect, test } from "vitest";
import { GET as readyRoute } from "@/app/api/health/ready/route";
import { GET as liveRoute } from "@/app/api/health/live/route";
import { drain } from "@/lib/http/drain";
import { succeed } from "@/lib/http/respond";
import { Line, startServer, statusesIn } from "./raw-server";

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test("a server that stops first says that it is not ready while it serves on, and then resets nothing", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const slow = async () => {
    begin();
    await held;
    return succeed({ slow: true }, {});
  };
  const quick = async () => succeed({}, {});
  const { server, port, stop } = await startServer(
    [
      { pattern: "/api/health/ready", module: { GET: readyRoute } },
      { pattern: "/api/health/live", module: { GET: liveRoute } },
      { pattern: "/api/slow", module: { GET: slow } },
      { pattern: "/api/quick", module: { GET: quick } },
    ],
    (_request, response) => response.writeHead(200).end("a page"),
  );
  const idle = new Line(port).send(get("/api/quick"));
  expect(await idle.until(/\}$/)).not.toMatch(/connection: close/i);

  let waited: (value?: unknown) => void = () => {};
  const asked: number[] = [];
  const drained = drain(server, 5_000, (ms) => {
    asked.push(ms);
    return new Promise((resolve) => (waited = resolve));
  });
  expect(asked).toEqual([5_000]);

  // Still listening: old and new connections are answered and ended, readiness is gone, liveness is not.
  for (const [line, path, status] of [
    [idle, "/api/quick", 200],
    [new Line(port), "/api/quick", 200],
    [new Line(port), "/sign-in", 200],
    [new Line(port), "/api/health/ready", 503],
    [new Line(port), "/api/health/live", 200],
  ] as const) {
    line.received = "";
    const received = await line.send(get(path)).end();
    expect([path, ...statusesIn(received)]).toEqual([path, status]);
    expect(received).toMatch(/^connection: close\r$/im);
  }
  expect(server.listening).toBe(true);

  const underWay = new Line(port).send(get("/api/slow"));
  await begun;
  waited();
  await expect.poll(() => server.listening).toBe(false);
  release();
  const received = await underWay.end();
  expect(statusesIn(received)).toEqual([200]);
  expect(received).toContain('"slow":true');
  await drained;
  stop();
});
