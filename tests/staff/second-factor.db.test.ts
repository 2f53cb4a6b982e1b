import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import * as auditRoute from "@/app/api/audit-log/route";
import * as meRoute from "@/app/api/me/route";
import { db } from "@/db/client";
import { twoFactors } from "@/db/schema/auth";
import { resetPassword } from "@/lib/domain/accounts/reset-password";
import { signInRoute } from "@/lib/http/sign-in";
import { backgroundDone } from "@/lib/kernel/background";
import {
  as,
  call,
  cookiesOf,
  password,
  type Person,
  signIn,
  somePerson,
  someStaff,
} from "./person";
import { codeOf, secretOf } from "./totp";

const post = (path: string, cookie: string, body: unknown = {}) =>
  call(signInRoute, `/auth${path}`, { method: "POST", body, headers: { cookie } });
const isSignedIn = async (cookie: string) =>
  (await call(meRoute.GET, "/me", { headers: { cookie } })).status === 200;

/** A person who set up the authenticator app with the current code, so that the next one is unused. */
async function withApp(): Promise<Person & { secret: Buffer; recovery: string[] }> {
  const person = await somePerson();
  const enabled = (await (
    await post("/two-factor/enable", person.cookie, { password })
  ).json()) as { totpURI: string; backupCodes: string[] };
  const secret = secretOf(enabled.totpURI);
  const verified = await post("/two-factor/verify-totp", person.cookie, {
    code: codeOf(secret),
  });
  expect(verified.status).toBe(200);
  return {
    ...person,
    cookie: cookiesOf(verified, person.cookie),
    secret,
    recovery: enabled.backupCodes,
  };
}

/** Half way in: the password was right, the code is still to come. */
async function halfWay(email: string): Promise<string> {
  const answer = await signIn(email);
  expect(await answer.json()).toMatchObject({ twoFactorRedirect: true });
  const cookie = cookiesOf(answer);
  expect(await isSignedIn(cookie)).toBe(false);
  return cookie;
}

test("with an authenticator app the password alone opens nothing, and its code does", async () => {
  const { email, secret } = await withApp();
  const half = await halfWay(email);
  expect((await post("/two-factor/verify-totp", half, { code: "000000" })).status).toBe(401);
  const answer = await post("/two-factor/verify-totp", half, { code: codeOf(secret, 1) });
  expect(answer.status).toBe(200);
  expect(await isSignedIn(cookiesOf(answer, half))).toBe(true);
});

test("the same code does not open a second time, also not side by side", async () => {
  const { email, secret } = await withApp();
  const halves = await Promise.all([halfWay(email), halfWay(email), halfWay(email)]);
  const code = codeOf(secret, 1);
  const answers = await Promise.all(
    halves.map((half) => post("/two-factor/verify-totp", half, { code })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  const later = await post("/two-factor/verify-totp", await halfWay(email), { code });
  expect([later.status, await later.json()]).toMatchObject([401, { code: "code_used" }]);
});

test("a code from setting the app up is not good for signing in", async () => {
  const person = await somePerson();
  const enabled = (await (
    await post("/two-factor/enable", person.cookie, { password })
  ).json()) as { totpURI: string };
  const code = codeOf(secretOf(enabled.totpURI));
  expect((await post("/two-factor/verify-totp", person.cookie, { code })).status).toBe(200);
  expect(
    (await post("/two-factor/verify-totp", await halfWay(person.email), { code })).status,
  ).toBe(401);
});

test("a recovery code opens once", async () => {
  const { email, recovery } = await withApp();
  const code = recovery[0];
  const half = await halfWay(email);
  const answer = await post("/two-factor/verify-backup-code", half, { code });
  expect(answer.status).toBe(200);
  expect(await isSignedIn(cookiesOf(answer, half))).toBe(true);
  expect(
    (await post("/two-factor/verify-backup-code", await halfWay(email), { code })).status,
  ).toBe(401);
});

test("ten wrong codes lock the second factor, across sign-ins", async () => {
  const { email, secret } = await withApp();
  let tries = 0;
  while (tries < 10) {
    const half = await halfWay(email);
    for (let i = 0; i < 4 && tries < 10; i++, tries++)
      await post("/two-factor/verify-totp", half, { code: String(100_000 + tries) });
  }
  expect(
    (await post("/two-factor/verify-totp", await halfWay(email), { code: codeOf(secret, 1) }))
      .status,
  ).toBe(429);
});

test("the app's secret and the recovery codes are encrypted where they are kept", async () => {
  const { userId, secret, recovery } = await withApp();
  const kept = JSON.stringify(
    await db.select().from(twoFactors).where(eq(twoFactors.userId, userId)),
  );
  expect(kept).not.toContain(secret.toString());
  expect(recovery.some((code) => kept.includes(code))).toBe(false);
});

test("switching it off takes the password", async () => {
  const { cookie, email } = await withApp();
  expect(
    (await post("/two-factor/disable", cookie, { password: "wrong horse battery" })).status,
  ).toBe(400);
  expect((await post("/two-factor/disable", cookie, { password })).status).toBe(200);
  expect(await isSignedIn(cookiesOf(await signIn(email)))).toBe(true);
});

test("the operator can take a lost second factor away", async () => {
  const { email } = await withApp();
  const { password: fresh } = await resetPassword(email, { secondFactors: true });
  expect(await isSignedIn(cookiesOf(await signIn(email, { password: fresh })))).toBe(true);
});

test("with a second factor, signed_in is written only once the code was right; wrong codes and the lock are written too", async () => {
  const staff = await someStaff();
  const enabled = (await (await post("/two-factor/enable", staff.cookie, { password })).json()) as {
    totpURI: string;
  };
  const secret = secretOf(enabled.totpURI);
  const verified = await post("/two-factor/verify-totp", staff.cookie, {
    code: codeOf(secret),
  });
  const headers = as({ ...staff, cookie: cookiesOf(verified, staff.cookie) });
  const actions = async () => {
    await backgroundDone();
    const log = (await (
      await call(auditRoute.GET, "/audit-log?per_page=100", { headers })
    ).json()) as { data: { data: { action: string; address: string; details: object }[] } };
    return log.data.data;
  };
  const signIns = async () =>
    (await actions()).filter(({ action }) => action === "signed_in").length;
  expect(await signIns()).toBe(0);
  const half = await halfWay(staff.email);
  expect(half).not.toContain("known_browser");
  expect((await post("/two-factor/verify-totp", half, { code: "000000" })).status).toBe(401);
  expect(await signIns()).toBe(0);
  expect((await actions())[0]).toMatchObject({
    action: "second_factor_failed",
    address: expect.stringMatching(/^10\./) as string,
    details: { email: staff.email },
  });
  const whole = await post("/two-factor/verify-totp", half, { code: codeOf(secret, 1) });
  expect(cookiesOf(whole)).toContain("known_browser");
  expect(await signIns()).toBe(1);
  for (let i = 0; i < 3; i++) {
    const next = await halfWay(staff.email);
    for (let k = 0; k < 4; k++)
      await post("/two-factor/verify-totp", next, { code: `00${i}00${k}` });
  }
  expect((await actions()).map(({ action }) => action)).toContain("second_factor_locked");
});
