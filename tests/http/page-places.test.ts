import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { provideEnv } from "@/lib/env";
import { pagePlaces } from "@/lib/http/page-places";
import { startServer } from "./raw-server";

const request = {} as IncomingMessage;
const newResponse = () => new EventEmitter() as unknown as ServerResponse;
const HOUR_MS = 3_600_000;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

// The limit of pages a second is off, where a test does not turn it on.
beforeEach(() => provideEnv({ RATE_LIMIT_PAGE: "0" }));

test("one address renders four pages at a time, and others do not wait for it", async () => {
  const served: ServerResponse[] = [];
  const render = pagePlaces((_request, response) => served.push(response), HOUR_MS);
  const flood = Array.from({ length: 60 }, newResponse);
  const other = newResponse();
  const rendering = Promise.allSettled([
    ...flood.map((response) => render("192.0.2.1", request, response)),
    render("192.0.2.2", request, other),
  ]);
  await settled();
  expect(served).toHaveLength(5);
  expect(served).toContain(other);

  for (const response of [other, ...flood]) response.emit("close");
  await rendering;
});

test("a page that has ended, or whose caller has left, gives its place to the next", async () => {
  const served: ServerResponse[] = [];
  const render = pagePlaces((_request, response) => served.push(response), HOUR_MS);
  const responses = Array.from({ length: 6 }, newResponse);
  const rendering = Promise.allSettled(
    responses.map((response) => render("192.0.2.3", request, response)),
  );
  await settled();
  expect(served).toEqual(responses.slice(0, 4));
  responses[4]?.emit("close");
  responses[0]?.emit("close");
  await settled();
  expect(served).toEqual([...responses.slice(0, 4), responses[5]]);

  for (const response of responses) response.emit("close");
  expect(
    (await rendering).map(({ status }) => status).filter((one) => one === "rejected"),
  ).toHaveLength(1);
});

test("an address that asks for pages faster than a person can is refused until it slows down", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  provideEnv({ RATE_LIMIT_PAGE: "20" });
  const render = pagePlaces((_request, response) => response.emit("close"), HOUR_MS);
  const flood = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        render("192.0.2.4", request, newResponse()).then(
          () => 200,
          ({ status, options }) => `${status}, again in ${options.headers["retry-after"]} s`,
        ),
      ),
    );
  expect(await flood(60)).toEqual(Array.from({ length: 60 }, () => 200));
  expect(await flood(2)).toEqual(["429, again in 3 s", "429, again in 3 s"]);
  await expect(render("192.0.2.5", request, newResponse())).resolves.toBeUndefined();

  vi.advanceTimersByTime(3_001);
  expect(await flood(1)).toEqual([200]);
});

test("more than may wait is a 429 that says when to come back", async () => {
  const render = pagePlaces(() => undefined, HOUR_MS);
  const responses = Array.from({ length: 69 }, newResponse);
  const results = Promise.allSettled(responses.map((one) => render(undefined, request, one)));
  await settled();
  for (const response of responses) response.emit("close");
  const refused = (await results).filter(
    (result) => result.status === "rejected" && result.reason.status === 429,
  );
  expect(refused).toHaveLength(1);
});

test("the server keeps pages of one address waiting, and serves its static files", async () => {
  let rendering = 0;
  const { port, stop } = await startServer([], (incoming, response) => {
    if (incoming.url?.startsWith("/_next/static/")) response.end("a static file");
    else rendering++;
  });
  const send = (path: string) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return socket;
  };
  const pages = Array.from({ length: 20 }, () => send("/unknown"));
  await expect.poll(() => rendering).toBe(4);
  const file = send("/_next/static/a.js");
  const text = await new Promise<string>((resolve) =>
    file.once("data", (part) => resolve(String(part))),
  );
  expect(text).toContain("a static file");
  for (const socket of [...pages, file]) socket.destroy();
  stop();
});
