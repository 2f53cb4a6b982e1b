import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limitedHttp } from "./http";

const answers: Record<string, (response: ServerResponse) => void> = {
  "/good": (response) =>
    response.writeHead(200, { "request-id": "req_1" }).end('{"object":"account"}'),
  "/silent": () => undefined,
  "/drip": (response) => void response.writeHead(200).write("{"),
  "/broken": (response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  },
  "/huge": (response) => response.writeHead(200).end("x".repeat(10_000)),
};
const server = createServer((request, response) => answers[request.url ?? ""]?.(response));
let port = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = String((server.address() as AddressInfo).port);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (path: string, host = "127.0.0.1", to = port) =>
  limitedHttp({ connectMs: 200, totalMs: 400, maxBytes: 5_000 }).makeRequest(
    host,
    to,
    path,
    "GET",
    {},
    "",
    "http",
    80_000,
  );

test("an answer comes with status, headers and body", async () => {
  const answer = await ask("/good");
  expect([
    answer.getStatusCode(),
    answer.getHeaders()["request-id"],
    await answer.toJSON(),
  ]).toEqual([200, "req_1", { object: "account" }]);
});

test.each([
  ["/silent", /did not answer/],
  ["/drip", /did not answer/],
  ["/broken", /broke/],
  ["/huge", /too large/],
])("%s is given up, without a code by which the SDK would send again", async (path, words) => {
  const error = await ask(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toMatch(words);
  expect(error).not.toHaveProperty("code");
});

test("a refused connection is an error too", async () => {
  await expect(ask("/good", "127.0.0.1", "1")).rejects.toThrow(/broke/);
});
