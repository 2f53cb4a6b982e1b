import { afterEach, expect, test } from "vitest";
import { seeOther } from "@/lib/payer/answer";
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

test("a redirect says that its type is not to be guessed", () => {
  expect(seeOther("/pay").headers.get("x-content-type-options")).toBe("nosniff");
});
