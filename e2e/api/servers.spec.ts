import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import { endpoints } from "@/lib/contract/programs";
import { childEnv } from "@/lib/env";
import { UNGUARDED } from "@/lib/http/unguarded";
import { newApiKey } from "@/lib/kernel/ids";
import { expect, test } from "../fixtures";
import type { Install } from "../install";

test.describe.configure({ mode: "serial" });

let next: ChildProcess | undefined;
let printed = "";
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
const spawnNext = (install: Install, port: number, settings: Record<string, string> = {}) =>
  spawn(
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
        BASE_URL: install.url,
        DATABASE_URL: install.database,
        KUTIP_SECRET: install.secret,
        RATE_LIMIT_ANONYMOUS: "0",
        RATE_LIMIT_SIGN_IN: "2",
        TRUSTED_PROXIES: "127.0.0.1",
        LOG_LEVEL: "silent",
        ...settings,
      }),
      stdio: ["ignore", "ignore", "pipe"],
    },
  );

async function startNext(install: Install): Promise<string> {
  const port = await freePort();
  next = spawnNext(install, port);
  next.stderr?.on("data", (part: Buffer) => (printed += part.toString()));
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

test("our server answers every endpoint", ({ install }) => expectEveryEndpoint(install.url));

test("plain Next.js answers every endpoint too, and serves the reference", async ({ install }) => {
  const url = await startNext(install);
  await expectEveryEndpoint(url);
  const page = await fetch(`${url}/docs/api`);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");

  // It says what it cannot guard, and counts by the address that a trusted proxy names.
  for (const one of UNGUARDED) expect(printed).toContain(one);
  const guess = async (from: string) => {
    const response = await fetch(`${url}/api/auth/sign-in/email`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": `192.0.2.1, ${from}` },
      body: JSON.stringify({ email: "nobody@example.com", password: "not the password" }),
    });
    return response.status;
  };
  expect([await guess("203.0.113.1"), await guess("203.0.113.1")]).toEqual([401, 401]);
  expect([await guess("203.0.113.1"), await guess("203.0.113.2")]).toEqual([429, 401]);
});

for (const [name, settings, sentence] of [
  ["a wrong secret", { KUTIP_SECRET: "x".repeat(32) }, /made with another KUTIP_SECRET/],
  ["a missing secret", { KUTIP_SECRET: "" }, /the web process needs KUTIP_SECRET/],
  ["a missing database", { DATABASE_URL: "" }, /the web process needs DATABASE_URL/],
] as const) {
  test(`plain Next.js refuses ${name}`, async ({ install }) => {
    const refused = spawnNext(install, await freePort(), settings);
    let said = "";
    refused.stderr?.on("data", (part: Buffer) => (said += part.toString()));
    const code = await new Promise((resolve) => refused.once("exit", resolve));
    expect(said).toMatch(sentence);
    expect(code).toBe(1);
  });
}

for (const [name, begun, ended] of [
  ["server", "web process listens", "web process stopped"],
  ["worker", "worker started", "worker stopped"],
] as const) {
  test(`SIGHUP lets the ${name} finish what is under way`, async ({ install }) => {
    const process = spawn(globalThis.process.execPath, [`build/${name}.js`], {
      env: childEnv({
        NODE_ENV: "production",
        PORT: String(await freePort()),
        DATABASE_URL: install.database,
        KUTIP_SECRET: install.secret,
        DRAIN_SECONDS: "0",
        LOG_LEVEL: "info",
      }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let log = "";
    process.stdout.on("data", (part: Buffer) => (log += part.toString()));
    const exit = new Promise((resolve) =>
      process.once("exit", (code, signal) => resolve(signal ?? code)),
    );
    await expect.poll(() => log, { timeout: 30_000 }).toContain(begun);
    process.kill("SIGHUP");
    expect(await exit).toBe(0);
    expect(log).toContain(ended);
  });
}
