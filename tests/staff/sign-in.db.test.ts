import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import * as packagesRoute from "@/app/api/packages/route";
import { db } from "@/db/client";
import { sessions } from "@/db/schema/auth";
import { resetPassword } from "@/lib/domain/accounts/reset-password";
import { signInRoute } from "@/lib/http/sign-in";
import {
  as,
  call,
  cookiesOf,
  password,
  signIn,
  someAddress,
  someEmail,
  somePerson,
  someStaff,
} from "./person";

const list = (headers: Record<string, string>) => call(packagesRoute.GET, "/packages", { headers });

test("a person who signs in may call for their business, and the cookie is all that opens it", async () => {
  const staff = await someStaff("viewer");
  expect((await list(as(staff))).status).toBe(200);
  expect((await list({ ...as(staff), cookie: "" })).status).toBe(401);
});

test("the answer of a sign-in and of the session holds no token, and the database only its digest", async () => {
  const { cookie, email, userId } = await somePerson();
  const answer = await signIn(email);
  expect(await answer.json()).not.toHaveProperty("token");
  const session = (await (
    await call(signInRoute, "/auth/get-session", { headers: { cookie } })
  ).json()) as { session: Record<string, unknown> };
  expect(session.session).not.toHaveProperty("token");
  const rows = await db.select().from(sessions).where(eq(sessions.userId, userId));
  expect(rows.map((row) => row.token)).toEqual(
    rows.map(() => expect.stringMatching(/^[0-9a-f]{64}$/)),
  );
  expect(rows.every((row) => !cookie.includes(row.token))).toBe(true);
});

test("a wrong password, an unknown address and a missing one are refused alike", async () => {
  const { email } = await somePerson();
  const wrong = await signIn(email, { password: "wrong horse battery" });
  const unknown = await signIn(someEmail());
  expect(wrong.status).toBe(401);
  expect(unknown.status).toBe(401);
  expect(await wrong.json()).toEqual(await unknown.json());
});

test("after signing out the session is refused", async () => {
  const staff = await someStaff();
  expect(
    (
      await call(signInRoute, "/auth/sign-out", {
        method: "POST",
        body: {},
        headers: { cookie: staff.cookie },
      })
    ).status,
  ).toBe(200);
  expect((await list(as(staff))).status).toBe(401);
});

test("a cookie without the business or mode header is a 400, another's business a 403", async () => {
  const staff = await someStaff();
  const other = await someStaff();
  expect((await list({ cookie: staff.cookie })).status).toBe(400);
  expect((await list({ ...as(staff), "x-kutip-mode": "both" })).status).toBe(400);
  expect((await list(as({ ...staff, businessId: other.businessId }))).status).toBe(403);
  expect((await list(as({ ...staff, businessId: 999_999_999 }))).status).toBe(403);
});

const post = (headers: Record<string, string>) =>
  call(packagesRoute.POST, "/packages", { method: "POST", body: {}, headers });

test.each([
  ["our own page", {}, 422],
  ["our own page by a browser", { "sec-fetch-site": "same-origin" }, 422],
  ["another site", { origin: "https://evil.example" }, 403],
  [
    "another port of this host",
    { origin: "http://localhost:3001", "sec-fetch-site": "same-site" },
    403,
  ],
  ["a page without an origin", { origin: "null", "sec-fetch-site": "cross-site" }, 403],
  ["a cross-site call that names our origin", { "sec-fetch-site": "cross-site" }, 403],
  ["a caller who names no origin", { origin: "" }, 403],
] as const)("an unsafe call with a cookie from %s", async (_, headers, status) => {
  const staff = await someStaff();
  const answer = await post({ ...as(staff), ...headers });
  expect(answer.status).toBe(status);
  if (status === 403) expect(await answer.json()).toMatchObject({ code: "cross_origin" });
});

test("sign-in itself is refused from another site", async () => {
  const answer = await call(signInRoute, "/auth/sign-in/email", {
    method: "POST",
    body: { email: someEmail(), password },
    headers: { origin: "https://evil.example" },
  });
  expect(answer.status).toBe(403);
});

test("calls that another site's page makes its visitor send take nothing from the tries of their address", async () => {
  const address = someAddress();
  const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const ask = (method: string, path: string, headers: Record<string, string>) =>
    call(signInRoute, path, {
      method,
      headers,
      address,
      ...(method === "POST" ? { body: { email: someEmail(), password } } : {}),
    });
  for (let i = 0; i < 10; i++) {
    expect((await ask("POST", "/auth/sign-in/email", elsewhere)).status).toBe(403);
    for (const site of ["cross-site", "same-site"]) {
      const answer = await ask("GET", "/auth/verify-email?token=x", { "sec-fetch-site": site });
      expect([site, answer.status]).toEqual([site, 403]);
    }
  }
  expect((await signIn(someEmail(), { address })).status).toBe(401);
  const own = await ask("GET", "/auth/verify-email?token=x", { "sec-fetch-site": "same-origin" });
  expect([own.status, own.headers.get("x-ratelimit-remaining")]).toEqual([401, "8"]);
});

test("one address has ten tries a minute", async () => {
  const address = someAddress();
  for (let i = 0; i < 10; i++) expect((await signIn(someEmail(), { address })).status).toBe(401);
  const refused = await signIn(someEmail(), { address });
  expect(refused.status).toBe(429);
  expect(refused.headers.has("retry-after")).toBe(true);
});

test("a new password by the operator ends every session", async () => {
  const staff = await someStaff();
  await resetPassword(staff.email);
  expect((await list(as(staff))).status).toBe(401);
});

test("what is not let in of the sign-in library is a 404", async () => {
  const { cookie } = await somePerson();
  for (const [method, path] of [
    ["POST", "/auth/sign-up/email"],
    ["GET", "/auth/list-sessions"],
    ["POST", "/auth/delete-user"],
    ["GET", "/auth/ok"],
    ["POST", "/auth/two-factor/get-totp-uri"],
  ] as const) {
    const answer = await call(signInRoute, path, {
      method,
      headers: { cookie },
      ...(method === "POST" ? { body: { email: someEmail(), password, name: "A" } } : {}),
    });
    expect(answer.status).toBe(404);
  }
});

test("a session cookie is http-only and same-site", async () => {
  const { email } = await somePerson();
  const answer = await signIn(email);
  expect(
    answer.headers.getSetCookie().find((line) => line.startsWith("kutip.session_token=")),
  ).toMatch(/HttpOnly.*SameSite=Lax/i);
  expect(cookiesOf(answer)).toContain("kutip.session_token=");
});
