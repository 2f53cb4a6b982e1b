import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import { endpoints } from "@/lib/contract/all";
import { childEnv } from "@/lib/env";
import { newApiKey } from "@/lib/kernel/ids";
import { expect, test } from "../fixtures";
import type { Place } from "../install";

test.describe.configure({ mode: "serial" });

let next: ChildProcess | undefined;
test.afterAll(() => void next?.kill("SIGTERM"));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

/** Plain Next.js on the same build and database, without our own server in front. */
async function startNext(place: Place): Promise<string> {
  const port = await freePort();
  next = spawn(
    process.execPath,
    [
      path.resolve("node_modules/next/dist/bin/next"),
      "start",
      "-p",
      String(port),
      "-H",
      "127.0.0.1",
    ],
    {
      env: childEnv({
        NODE_ENV: "production",
        BASE_URL: place.url,
        DATABASE_URL: place.database,
        KUTIP_SECRET: place.secret,
        RATE_LIMIT_ANONYMOUS: "0",
        LOG_LEVEL: "silent",
      }),
      stdio: "ignore",
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(`${url}/api/openapi.json`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 30_000 },
    )
    .toBe(200);
  return url;
}

async function expectEveryEndpoint(url: string): Promise<void> {
  for (const { method, path: address } of endpoints) {
    for (const key of [undefined, newApiKey("test")]) {
      const response = await fetch(
        `${url}/api${address.replace(/\{\w+\}/g, "6740f1c09a3be27d51c8e4f0")}`,
        {
          method,
          headers: key ? { authorization: `Bearer ${key}` } : {},
          ...(method === "GET" ? {} : { body: "{}" }),
        },
      );
      expect(`${method} ${address} ${response.status} ${await response.text()}`).toBe(
        `${method} ${address} 401 {"message":"Unauthenticated.","code":"unauthenticated","errors":{}}`,
      );
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("x-powered-by")).toBeNull();
    }
  }
}

test("our server answers every endpoint", ({ place }) => expectEveryEndpoint(place.url));

test("plain Next.js answers every endpoint too, and serves the reference", async ({ place }) => {
  const url = await startNext(place);
  await expectEveryEndpoint(url);
  const page = await fetch(`${url}/docs/api`);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
});
