import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { env, provideEnv } from "@/lib/env";
import { makeServer } from "@/lib/http/serve";
import { routes } from "../contract/setting";
import { password, someStaff } from "./person";

const origin = "http://localhost:3000";
const server = makeServer(routes, (_request, response) => void response.writeHead(404).end());
let base: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
});
afterAll(() => void server.close());

test("through the real server: sign in, act, see where one is signed in, sign out", async () => {
  const { email, businessId } = await someStaff();
  const json = { origin, "content-type": "application/json" };
  const entered = await fetch(`${base}/auth/sign-in/email`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ email, password }),
  });
  expect(entered.status).toBe(200);
  const cookie = entered.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const headers = {
    ...json,
    cookie,
    "x-kutip-business": String(businessId),
    "x-kutip-mode": "test",
  };
  const made = await fetch(`${base}/api-keys`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "Till" }),
  });
  expect(made.status).toBe(200);
  const sessions = (await (await fetch(`${base}/me/sessions`, { headers })).json()) as {
    data: { ip_address: string }[];
  };
  expect(sessions.data.map(({ ip_address }) => ip_address)).toContain("127.0.0.1");
  const forged = await fetch(`${base}/api-keys`, {
    method: "POST",
    headers: { ...headers, origin: "http://evil.example" },
    body: JSON.stringify({ name: "Till" }),
  });
  expect(forged.status).toBe(403);
  expect(
    (await fetch(`${base}/auth/sign-out`, { method: "POST", headers, body: "{}" })).status,
  ).toBe(200);
  expect((await fetch(`${base}/me`, { headers })).status).toBe(401);
});

test("through the real server: a sign-in body of more than 64 KiB is a 413, one that is not JSON is refused", async () => {
  const send = (body: string) =>
    fetch(`${base}/auth/sign-in/email`, {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body,
    });
  expect((await send(`{"email":"${"a".repeat(70_000)}"}`)).status).toBe(413);
  const answer = await send("{");
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(await answer.json()).toMatchObject({
    code: expect.any(String),
    message: expect.any(String),
    errors: {},
  });
});

test("while the database is away signing in is a 503, not a wrong password", async () => {
  const { email } = await someStaff();
  const url = env.DATABASE_URL;
  provideEnv({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" });
  await closePool();
  try {
    const answer = await fetch(`${base}/auth/sign-in/email`, {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.has("retry-after")).toBe(true);
  } finally {
    provideEnv({ DATABASE_URL: url });
    await closePool();
  }
});
