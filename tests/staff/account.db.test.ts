import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import * as healthRoute from "@/app/api/health/route";
import * as meRoute from "@/app/api/me/route";
import * as sessionsRoute from "@/app/api/me/sessions/route";
import * as sessionRoute from "@/app/api/me/sessions/[session_id]/route";
import * as setupRoute from "@/app/api/setup/route";
import * as signUpRoute from "@/app/api/sign-up/route";
import * as requestsRoute from "@/app/api/sign-up/requests/route";
import { db } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import { sessions, verifications } from "@/db/schema/auth";
import { mails } from "@/db/schema/mails";
import type { SignInSession } from "@/lib/contract/me";
import { inviteFounder } from "@/lib/domain/team/sign-up";
import { provideEnv } from "@/lib/env";
import { signInRoute } from "@/lib/http/sign-in";
import { version } from "@/lib/kernel/version";
import { dataOf, mailedToken } from "./office";
import { call, cookiesOf, password, signIn, someEmail, somePerson, someStaff } from "./person";

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(signInRoute, `/auth${path}`, { method: "POST", body, headers });
const me = (cookie: string) => call(meRoute.GET, "/me", { headers: { cookie } });
const fresh = "another horse battery";

const open = () => provideEnv({ SIGN_UP: "open", SMTP_URL: "smtp://localhost:1" });

afterEach(() => provideEnv({ SIGN_UP: "closed", SMTP_URL: "", OPERATOR_CONTACT: "" }));

test("a forgotten password is replaced by mail, once, and every session ends", async () => {
  const { email, cookie } = await somePerson();
  expect((await post("/request-password-reset", { email: email.toUpperCase() })).status).toBe(200);
  const token = await mailedToken(email, "account_reset");
  expect((await post("/reset-password", { token, newPassword: "short" })).status).toBe(400);
  expect((await post("/reset-password", { token, newPassword: fresh })).status).toBe(200);
  expect((await me(cookie)).status).toBe(401);
  expect((await signIn(email)).status).toBe(401);
  expect((await signIn(email, { password: fresh })).status).toBe(200);
  expect((await post("/reset-password", { token, newPassword: password })).status).toBe(400);
});

test("asking for a new password answers alike for known and unknown addresses, and mails only the known", async () => {
  const { email } = await somePerson();
  const unknown = someEmail();
  const answers = await Promise.all([
    post("/request-password-reset", { email }),
    post("/request-password-reset", { email: unknown }),
  ]);
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(bodies[0]).toBe(bodies[1]);
  expect(await db.select().from(mails).where(eq(mails.recipient, unknown))).toEqual([]);
});

test("the token of a reset is kept as a digest, and its mail sealed and of no business", async () => {
  const { email } = await somePerson();
  await post("/request-password-reset", { email });
  const token = await mailedToken(email, "account_reset");
  const [mail] = await db.select().from(mails).where(eq(mails.recipient, email));
  expect(mail).toMatchObject({
    businessId: NO_BUSINESS,
    mode: null,
    kind: "account_reset",
    status: "queued",
  });
  expect(JSON.stringify(mail)).not.toContain(token);
  expect(JSON.stringify(await db.select().from(verifications))).not.toContain(token);
});

test("a reset by mail unlocks the account and proves its address", async () => {
  const { email } = await somePerson(false);
  for (let i = 0; i < 11; i++) await signIn(email, { password: "wrong horse battery" });
  await post("/request-password-reset", { email });
  await post("/reset-password", {
    token: await mailedToken(email, "account_reset"),
    newPassword: fresh,
  });
  const answer = await signIn(email, { password: fresh });
  expect(await dataOf(me(cookiesOf(answer)))).toMatchObject({ user: { email_verified: true } });
});

test("an address is confirmed by the token in its mail", async () => {
  const { email, cookie } = await somePerson(false);
  expect(await dataOf(me(cookie))).toMatchObject({ user: { email_verified: false } });
  await post("/send-verification-email", { email }, { cookie });
  const token = await mailedToken(email, "account_verification");
  expect((await call(signInRoute, `/auth/verify-email?token=${token}x`)).status).toBe(401);
  expect(
    (await call(signInRoute, `/auth/verify-email?token=${token}`, { headers: { cookie } })).status,
  ).toBe(200);
  expect(await dataOf(me(cookie))).toMatchObject({ user: { email_verified: true } });
});

test("changing the password takes the old one and ends all other sessions", async () => {
  const { email, cookie } = await somePerson();
  const elsewhere = cookiesOf(await signIn(email));
  expect(
    (
      await post(
        "/change-password",
        { currentPassword: "wrong horse battery", newPassword: fresh },
        { cookie },
      )
    ).status,
  ).toBe(400);
  const answer = await post(
    "/change-password",
    { currentPassword: password, newPassword: fresh },
    { cookie },
  );
  expect(answer.status).toBe(200);
  expect(await answer.json()).not.toHaveProperty("token");
  expect((await me(elsewhere)).status).toBe(401);
  expect((await me(cookiesOf(answer, cookie))).status).toBe(200);
});

test("sessions are listed without their token and can be ended, one or all others", async () => {
  const { email, cookie } = await somePerson();
  const [second, third] = [cookiesOf(await signIn(email)), cookiesOf(await signIn(email))];
  const list = async () =>
    dataOf<SignInSession[]>(call(sessionsRoute.GET, "/me/sessions", { headers: { cookie } }));
  const before = await list();
  expect(before).toHaveLength(3);
  expect(before.filter(({ current }) => current)).toHaveLength(1);
  expect(Object.keys(before[0] ?? {})).not.toContain("token");
  const mine = before.find(({ current }) => current)?._id;
  const other = before.find(({ current }) => !current)?._id ?? "";
  const end = (id: string, by: string) =>
    call(sessionRoute.DELETE, `/me/sessions/${id}`, {
      method: "DELETE",
      headers: { cookie: by },
      params: { session_id: id },
    });
  expect((await end(other, (await somePerson()).cookie)).status).toBe(404);
  expect((await end(other, cookie)).status).toBe(200);
  expect(
    (await Promise.all([me(second), me(third)])).filter(({ status }) => status === 401),
  ).toHaveLength(1);
  await dataOf(
    call(sessionsRoute.DELETE, "/me/sessions", { method: "DELETE", headers: { cookie } }),
  );
  expect((await list()).map(({ _id }) => _id)).toEqual([mine]);
});

test("a session in use runs on: after a day its cookie is handed out anew", async () => {
  const { userId, cookie } = await somePerson();
  expect((await me(cookie)).headers.getSetCookie()).toEqual([]);
  const old = new Date(Date.now() + 5 * 86_400_000);
  await db.update(sessions).set({ expiresAt: old }).where(eq(sessions.userId, userId));
  const answer = await me(cookie);
  expect(answer.headers.getSetCookie().join()).toMatch(/kutip\.session_token=.*Max-Age=604800/i);
  const [row] = await db.select().from(sessions).where(eq(sessions.userId, userId));
  expect(row?.expiresAt.getTime()).toBeGreaterThan(old.getTime());
  expect((await me(cookiesOf(answer, cookie))).status).toBe(200);
});

test("a person changes their own name", async () => {
  const { cookie } = await somePerson();
  const put = (name: unknown) =>
    call(meRoute.PUT, "/me", { method: "PUT", headers: { cookie }, body: { name } });
  expect((await put("n".repeat(101))).status).toBe(422);
  await dataOf(put("  Other Name "));
  expect(await dataOf(me(cookie))).toMatchObject({ user: { name: "Other Name" } });
});

const input = (email: string) => ({
  business_name: "New Shop",
  name: "New Owner",
  email,
  password,
  time_zone: "Asia/Kuala_Lumpur",
  default_currency: "MYR",
});
const signUp = (body: unknown, address?: string) =>
  call(signUpRoute.POST, "/sign-up", { method: "POST", body, address });

test("sign-up is closed unless the setting opens it", async () => {
  const answer = await signUp({ ...input(someEmail()), invitation: "any" });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: "forbidden" }]);
});

const request = (email: string) =>
  call(requestsRoute.POST, "/sign-up/requests", { method: "POST", body: { email } });

test("open sign-up proves the address by mail before anything is made", async () => {
  open();
  const email = someEmail();
  expect((await request(email)).status).toBe(200);
  expect((await signUp({ ...input(email), invitation: "guessed" })).status).toBe(403);
  const invitation = await mailedToken(email, "account_invitation");
  expect((await signUp({ ...input(someEmail()), invitation })).status).toBe(403);
  const answer = await signUp({ ...input(email), invitation });
  const { business_id } = await dataOf<{ business_id: number }>(answer);
  expect(await dataOf(me(cookiesOf(answer)))).toMatchObject({
    user: { email, email_verified: true },
    businesses: [{ business_id, name: "New Shop", role: "owner" }],
  });
  expect((await signUp({ ...input(email), invitation })).status).toBe(403);
});

test("signing up with a taken address returns the same as with a free one, and mails its owner", async () => {
  open();
  const { email: taken } = await somePerson();
  const free = someEmail();
  const answers = [await request(taken), await request(free)];
  const bodies = await Promise.all(
    answers.map(async (answer) => ({
      status: answer.status,
      cookies: answer.headers.getSetCookie(),
      data: ((await answer.json()) as { data: object }).data,
    })),
  );
  expect(bodies).toEqual(
    [taken, free].map((email) => ({ status: 200, cookies: [], data: { email } })),
  );
  const kinds = async (recipient: string) =>
    (await db.select().from(mails).where(eq(mails.recipient, recipient))).map(({ kind }) => kind);
  expect(await kinds(taken)).toEqual(["account_notice"]);
  expect(await kinds(free)).toEqual(["account_invitation"]);
});

test("signing up gives an account that never proved its address to the one who did", async () => {
  open();
  const { email, cookie } = await somePerson(false);
  await request(email);
  const invitation = await mailedToken(email, "account_invitation");
  const answer = await signUp({ ...input(email), invitation, password: fresh });
  expect(answer.status).toBe(200);
  expect((await me(cookie)).status).toBe(401);
  expect((await signIn(email)).status).toBe(401);
});

test.each(["closed", "invite"])("no sign-up mail is sent while sign-up is %s", async (mode) => {
  provideEnv({ SIGN_UP: mode });
  const email = someEmail();
  expect((await request(email)).status).toBe(403);
  expect(await db.$count(mails, eq(mails.recipient, email))).toBe(0);
});

test("sign-up says all that is wrong at once", async () => {
  open();
  const answer = await signUp({ email: "nobody", password: "short", time_zone: "Mars/Olympus" });
  expect(answer.status).toBe(422);
  expect(Object.keys(((await answer.json()) as { errors: object }).errors).sort()).toEqual([
    "business_name",
    "email",
    "invitation",
    "name",
    "password",
    "time_zone",
  ]);
});

test("sign-up by invitation takes the operator's, for its address, once", async () => {
  provideEnv({ SIGN_UP: "invite" });
  const email = someEmail();
  const invitation = await inviteFounder(email);
  expect(await mailedToken(email, "account_invitation")).toBe(invitation);
  expect((await signUp(input(email))).status).toBe(422);
  expect((await signUp({ ...input(someEmail()), invitation })).status).toBe(403);
  const answer = await signUp({ ...input(email), invitation });
  expect(await dataOf(me(cookiesOf(answer)))).toMatchObject({ user: { email_verified: true } });
  expect((await signUp({ ...input(someEmail()), invitation })).status).toBe(403);
});

test("a stranger reads whether the install sends mail and whom to ask, and nothing of an account", async () => {
  const OPERATOR_CONTACT = "help@example.com,https://example.com/help";
  for (const SMTP_URL of ["", "smtp://user:secret@localhost:1"]) {
    provideEnv({ SMTP_URL, OPERATOR_CONTACT });
    expect(await dataOf(call(setupRoute.GET, "/setup"))).toEqual({
      empty: expect.any(Boolean),
      has_setup_code: false,
      sign_up: "closed",
      sends_mail: SMTP_URL !== "",
      operator_contacts: ["mailto:help@example.com", "https://example.com/help"],
    });
  }
});

test("an install with a business offers no first run", async () => {
  await someStaff();
  open();
  expect(await dataOf(call(setupRoute.GET, "/setup"))).toMatchObject({
    empty: false,
    sign_up: "open",
  });
  const answer = await call(setupRoute.POST, "/setup", {
    method: "POST",
    body: { ...input(someEmail()), code: "guess" },
  });
  expect(answer.status).toBe(403);
});

test("one address has ten tries a minute at sign-up and set-up together", async () => {
  const address = "10.250.250.250";
  const answers = [];
  for (let i = 0; i < 11; i++)
    answers.push(
      (await call(setupRoute.POST, "/setup", { method: "POST", body: {}, address })).status,
    );
  expect(answers.at(-1)).toBe(429);
  expect((await signUp({}, address)).status).toBe(429);
});

test.each(["password1234", "aaaaaaaaaaaa", "PERSON"])(
  "%s is refused at sign-up, at a reset and at a change",
  async (given) => {
    open();
    const { email, cookie } = await somePerson();
    const newPassword = given === "PERSON" ? `${email.split("@")[0]}-1` : given;
    await post("/request-password-reset", { email });
    const token = await mailedToken(email, "account_reset");
    const code = "password_guessable";
    const reset = await post("/reset-password", { token, newPassword });
    expect([reset.status, await reset.json()]).toMatchObject([400, { code }]);
    const body = { currentPassword: password, newPassword };
    const change = await post("/change-password", body, { cookie });
    expect([change.status, await change.json()]).toMatchObject([400, { code }]);
    const stranger = given === "PERSON" ? email.replace("@", "@x.") : someEmail();
    const asked = await signUp({ ...input(stranger), invitation: "x", password: newPassword });
    expect([asked.status, await asked.json()]).toMatchObject([
      422,
      { errors: { password: ["The password is too easy to guess."] } },
    ]);
    expect((await signIn(email)).status).toBe(200);
  },
);

test("the version of the install is shown to signed-in staff, and to no stranger", async () => {
  const { cookie } = await somePerson();
  const read = async (headers: Record<string, string>) =>
    (await (await call(healthRoute.GET, "/health", { headers })).json()) as { version?: string };
  expect((await read({ cookie })).version).toBe(version);
  expect(await read({})).not.toHaveProperty("version");
  expect(
    await read({ cookie: cookie.replace(/session_token=\w{8}/, "session_token=00000000") }),
  ).not.toHaveProperty("version");
  expect(await (await me(cookie)).json()).toMatchObject({
    data: { kutip_version: version, sends_mail: false },
  });
});
