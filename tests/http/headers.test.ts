import { afterEach, expect, test } from "vitest";
import { payerPage, seeOther } from "@/lib/payer/answer";
import { provideEnv } from "@/lib/env";
import { succeed } from "@/lib/http/respond";
import { Line, startServer } from "./raw-server";

let stop = () => {};
afterEach(() => stop());

const thing = async () => succeed({}, {});

async function answers(baseUrl: string): Promise<string[]> {
  provideEnv({ BASE_URL: baseUrl });
  const started = await startServer(
    [{ pattern: "/api/thing", module: { GET: thing } }],
    (_request, response) => response.writeHead(200).end(),
  );
  stop = started.stop;
  const targets = ["/api/thing", "/_next/static/a.js", "/sign-in", "/x/../y", "/Api%2f", "*"];
  return Promise.all(
    targets.map((target) =>
      new Line(started.port)
        .send(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        .end(),
    ),
  );
}

const hsts = /^strict-transport-security: max-age=31536000\r$/im;

test("every answer of an https install, refusals too, asks browsers to stay with https", async () => {
  for (const answer of await answers("https://pay.example.com")) expect(answer).toMatch(hsts);
});

test("an http install does not", async () => {
  for (const answer of await answers("http://localhost:3000")) expect(answer).not.toMatch(hsts);
});

const codings: [string | undefined, string | null][] = [
  ["gzip", "gzip"],
  ["br, GZIP;q=0.5", "gzip"],
  ["gzip;q=0", null],
  ["gzip; q=0.0, identity", null],
  ["gzip ; Q=0.001", "gzip"],
  ["gzip;q=1.000", "gzip"],
  ["gzip;q=0.000", null],
  ["gzip;q=2", null],
  ["gzip;q=0.5;q=0", null],
  ["br", null],
  [undefined, null],
];

test.each(codings)(
  "an answer to a client that takes %s has the coding %s",
  async (takes, coding) => {
    const long = async () => succeed({ text: "a".repeat(2_000) }, {});
    const started = await startServer([{ pattern: "/api/long", module: { GET: long } }], () => {});
    stop = started.stop;
    const accepts = takes === undefined ? "" : `Accept-Encoding: ${takes}\r\n`;
    const text = await new Line(started.port)
      .send(`GET /api/long HTTP/1.1\r\nHost: x\r\n${accepts}Connection: close\r\n\r\n`)
      .end();
    expect(/^content-encoding: (\S+)\r$/im.exec(text)?.[1] ?? null).toBe(coding);
  },
);

test.each(codings)(
  "a payer's page for a browser that takes %s has the coding %s",
  async (takes, coding) => {
    const request = new Request("http://localhost:3000/pay");
    if (takes !== undefined) request.headers.set("accept-encoding", takes);
    const render = async () => ({
      html: "<p>Pay</p>",
      styleHash: "sha256-a",
      status: 200 as const,
      refreshSeconds: undefined,
    });
    const answer = await payerPage({ request, render }, { view: "unknown" });
    expect(answer.headers.get("content-encoding")).toBe(coding);
  },
);

test("a redirect says that its type is not to be guessed", () => {
  expect(seeOther("/pay").headers.get("x-content-type-options")).toBe("nosniff");
});
