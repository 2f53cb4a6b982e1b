import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import * as acceptRoute from "@/app/api/invitations/accept/route";
import * as meRoute from "@/app/api/me/route";
import * as signUpRoute from "@/app/api/sign-up/route";
import * as invitationsRoute from "@/app/api/team/invitations/route";
import { db, pool } from "@/db/client";
import { sessions } from "@/db/schema/auth";
import { knownBrowser } from "@/lib/domain/accounts/known-browser";
import { inviteFounder } from "@/lib/domain/team/sign-up";
import { unscopedFindUserByEmail } from "@/lib/domain/users/rows";
import { provideEnv } from "@/lib/env";
import { signInRoute } from "@/lib/http/sign-in";
import { newAuthenticator } from "./authenticator";
import { dataOf, mailedToken } from "./office";
import { as, call, cookiesOf, password, signIn, someEmail, somePerson, someStaff } from "./person";
import { codeOf, secretOf } from "./totp";

const hourMs = 3_600_000;
const sessionCookie = (answer: Response) =>
  answer.headers.getSetCookie().find((line) => line.includes("kutip.session_token=")) ?? "";

/** The session that a person got last, and how long it lasts in hours. */
async function lastSession(userId: string) {
  const rows = await db.select().from(sessions).where(eq(sessions.userId, userId));
  const newest = rows.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
  if (!newest) throw new Error("no session");
  const length = newest.expiresAt.getTime() - newest.createdAt.getTime();
  return { ...newest, hours: Math.round(length / hourMs) };
}

test("a session that is not to be remembered ends with the browser, and after 12 hours whatever is called", async () => {
  const { email, userId } = await somePerson();
  const answer = await signIn(email, { rememberMe: false });
  expect(sessionCookie(answer)).toMatch(/HttpOnly/i);
  expect(sessionCookie(answer)).not.toMatch(/Max-Age|Expires/i);
  const { id, expiresAt, hours } = await lastSession(userId);
  expect(hours).toBe(12);
  // Without the cookie that says so, as someone with a stolen session would call.
  const cookie = cookiesOf(answer)
    .split("; ")
    .filter((pair) => pair.includes("session_token="))
    .join("; ");
  expect((await call(meRoute.GET, "/me", { headers: { cookie } })).status).toBe(200);
  for (const path of ["/get-session", "/passkey/list-user-passkeys"])
    expect((await call(signInRoute, `/auth${path}`, { headers: { cookie } })).status).toBe(200);
  expect((await lastSession(userId)).expiresAt).toEqual(expiresAt);
  await db
    .update(sessions)
    .set({ expiresAt: new Date(Date.now() + 30 * 24 * hourMs) })
    .where(eq(sessions.id, id));
  expect((await lastSession(userId)).expiresAt).toEqual(expiresAt);
});

type Newcomer = { email: string; cookie: string };

async function joins({ email, cookie }: Newcomer): Promise<Response> {
  const body = { email, role: "staff" };
  const headers = as(await someStaff());
  await dataOf(call(invitationsRoute.POST, "/team/invitations", { method: "POST", headers, body }));
  const token = await mailedToken(email, "account_invitation");
  return call(acceptRoute.POST, "/invitations/accept", {
    method: "POST",
    headers: { cookie },
    body: { token, name: "Some Body", password },
  });
}

async function signsUp({ email, cookie }: Newcomer): Promise<Response> {
  provideEnv({ SIGN_UP: "invite" });
  const invitation = await inviteFounder(email);
  const body = { business_name: "New Shop", name: "Some Body", email, password, invitation };
  const answer = await call(signUpRoute.POST, "/sign-up", {
    method: "POST",
    headers: { cookie },
    body,
  });
  provideEnv({ SIGN_UP: "closed" });
  return answer;
}

test.each([
  ["joins by an invitation", joins],
  ["signs up", signsUp],
])(
  "who %s is not remembered, and leaves the marks of the browser's other accounts",
  async (_, enters) => {
    const other = await somePerson();
    const email = someEmail();
    const answer = await enters({ email, cookie: other.cookie });
    expect(answer.status).toBe(200);
    expect(sessionCookie(answer)).not.toBe("");
    expect(sessionCookie(answer)).not.toMatch(/Max-Age|Expires/i);
    const user = await unscopedFindUserByEmail(email);
    expect((await lastSession(user?.id ?? "")).hours).toBe(12);
    const marks = /known_browser=([^;]*)/.exec(cookiesOf(answer, other.cookie))?.[1] ?? "";
    for (const one of [email, other.email])
      expect(knownBrowser(decodeURIComponent(marks), one), one).toBeDefined();
  },
);

test("a remembered session lasts for seven days in use", async () => {
  const { email, userId } = await somePerson();
  const answer = await signIn(email, { rememberMe: true });
  expect(sessionCookie(answer)).toMatch(/Max-Age=604800/i);
  expect((await lastSession(userId)).hours).toBe(7 * 24);
});

test.each([
  ["a session of 12 hours", false, 1, 12],
  ["a remembered session", true, 25 * 24, 30 * 24],
])(
  "%s keeps its end and its proof through a new password and a change of the second factor",
  async (_, rememberMe, ageHours, endHours) => {
    const { email, userId } = await somePerson();
    let cookie = cookiesOf(await signIn(email, { rememberMe }));
    const { id } = await lastSession(userId);
    const createdAt = new Date(Date.now() - ageHours * hourMs);
    const provenAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + endHours * hourMs);
    await db.update(sessions).set({ createdAt, provenAt, expiresAt }).where(eq(sessions.id, id));
    const change = async (path: string, body: unknown) => {
      const answer = await call(signInRoute, `/auth${path}`, {
        method: "POST",
        headers: { cookie },
        body,
      });
      expect([path, answer.status]).toEqual([path, 200]);
      cookie = cookiesOf(answer, cookie);
      const rows = await db.select().from(sessions).where(eq(sessions.userId, userId));
      const current = rows.filter((row) => +row.createdAt === +createdAt);
      expect([path, current]).toMatchObject([path, [{ expiresAt, provenAt }]]);
      return { id: current[0]?.id, answer };
    };
    const newPassword = "a wholly new sentence";
    const after = await change("/change-password", { currentPassword: password, newPassword });
    expect(after.id).not.toBe(id);
    const offer = await change("/two-factor/enable", { password: newPassword });
    const { totpURI } = (await offer.answer.json()) as { totpURI: string };
    const enabled = await change("/two-factor/verify-totp", { code: codeOf(secretOf(totpURI)) });
    expect(enabled.id).not.toBe(after.id);
    const disabled = await change("/two-factor/disable", { password: newPassword });
    expect(disabled.id).not.toBe(enabled.id);
  },
);

test("a sign-in in a browser that is signed in already is a sign-in", async () => {
  const { email, userId, cookie } = await somePerson();
  const long = new Date(Date.now() - 5 * 24 * hourMs);
  await db.update(sessions).set({ createdAt: long }).where(eq(sessions.userId, userId));
  const body = { email, password, rememberMe: true };
  await call(signInRoute, "/auth/sign-in/email", { method: "POST", headers: { cookie }, body });
  expect((await lastSession(userId)).createdAt.getTime()).toBeGreaterThan(Date.now() - hourMs);
});

async function dueForRenewal() {
  const { email, userId } = await somePerson();
  const cookie = cookiesOf(await signIn(email, { rememberMe: true }));
  const { id } = await lastSession(userId);
  const expiresAt = new Date(Date.now() + 5 * 24 * hourMs);
  await db.update(sessions).set({ expiresAt }).where(eq(sessions.id, id));
  return { id, cookie };
}

test("a session that is ended while it is renewed answers 401", async () => {
  const { id, cookie } = await dueForRenewal();
  const other = await pool().connect();
  try {
    await other.query("begin");
    await other.query("delete from auth_sessions where id = $1", [id]);
    const answer = call(meRoute.GET, "/me", { headers: { cookie } });
    await vi.waitFor(async () => {
      const { rows } = await pool().query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%auth_sessions%'",
      );
      expect(rows).toHaveLength(1);
    });
    await other.query("commit");
    expect((await answer).status).toBe(401);
  } finally {
    other.release();
  }
});

test("a session that the database cannot renew answers 503", async () => {
  const { id, cookie } = await dueForRenewal();
  const other = await pool().connect();
  try {
    await other.query("begin");
    await other.query("select from auth_sessions where id = $1 for update", [id]);
    expect((await call(meRoute.GET, "/me", { headers: { cookie } })).status).toBe(503);
  } finally {
    await other.query("rollback");
    other.release();
  }
  expect((await call(meRoute.GET, "/me", { headers: { cookie } })).status).toBe(200);
});

/** A person with a passkey; `enter` signs in with it, from a browser that holds `cookie`. */
async function withPasskey() {
  const person = await somePerson();
  const device = newAuthenticator();
  const ask = async (path: string, from: string) => {
    const options = await call(signInRoute, `/auth/passkey${path}`, { headers: { cookie: from } });
    const { challenge } = (await options.json()) as { challenge: string };
    return { challenge, cookie: cookiesOf(options, from) };
  };
  const post = (path: string, cookie: string, body: unknown) =>
    call(signInRoute, `/auth/passkey${path}`, { method: "POST", headers: { cookie }, body });
  const made = await ask("/generate-register-options?name=Laptop", person.cookie);
  await post("/verify-registration", made.cookie, {
    response: device.register(made.challenge),
    name: "Laptop",
  });
  const enter = async (rememberMe: boolean, from = "") => {
    const { challenge, cookie } = await ask("/generate-authenticate-options", from);
    const response = device.answer(challenge);
    const answer = await post("/verify-authentication", cookie, { response, rememberMe });
    expect(answer.status).toBe(200);
    return { answer, cookie: cookiesOf(answer, cookie) };
  };
  return { ...person, enter };
}

test("a sign-in by passkey is remembered only on request", async () => {
  const { userId, enter } = await withPasskey();
  for (const [rememberMe, hours] of [
    [false, 12],
    [true, 7 * 24],
  ] as const) {
    const { answer } = await enter(rememberMe);
    expect(/Max-Age/i.test(sessionCookie(answer)), String(rememberMe)).toBe(rememberMe);
    expect((await lastSession(userId)).hours).toBe(hours);
  }
});

test("a sign-in by passkey that is not to be remembered ends with the browser, whatever page is opened", async () => {
  const { enter } = await withPasskey();
  const { cookie } = await enter(false);
  for (const answer of [
    await call(meRoute.GET, "/me", { headers: { cookie } }),
    await call(signInRoute, "/auth/get-session", { headers: { cookie } }),
  ]) {
    expect(answer.status).toBe(200);
    expect(sessionCookie(answer)).toBe("");
  }
});

test.each(["passkey", "password"])(
  "a later sign-in by %s is remembered in a browser where an earlier one was not",
  async (way) => {
    const { email, enter } = await withPasskey();
    const { cookie: earlier } = await enter(false);
    const answer =
      way === "passkey"
        ? (await enter(true, earlier)).answer
        : await call(signInRoute, "/auth/sign-in/email", {
            method: "POST",
            headers: { cookie: earlier },
            body: { email, password, rememberMe: true },
          });
    expect(sessionCookie(answer)).toMatch(/Max-Age=604800/i);
    expect(cookiesOf(answer, earlier)).not.toContain("dont_remember");
  },
);
