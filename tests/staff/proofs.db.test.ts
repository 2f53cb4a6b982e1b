import { expect, test } from "vitest";
import * as meRoute from "@/app/api/me/route";
import * as sessionsRoute from "@/app/api/me/sessions/route";
import { resetPassword } from "@/lib/domain/users/reset-password";
import { signInRoute } from "@/lib/http/sign-in";
import { mailedToken } from "./office";
import { call, cookiesOf, password, type Person, signIn, somePerson } from "./person";
import { codeOf, secretOf } from "./totp";

const fresh = "another horse battery";
const post = (path: string, body: unknown, cookie = "") =>
  call(signInRoute, `/auth${path}`, {
    method: "POST",
    body,
    headers: cookie ? { cookie } : {},
  });
const isSignedIn = async (cookie: string) =>
  (await call(meRoute.GET, "/me", { headers: { cookie } })).status === 200;

/** Asks for a reset and gives its token. */
async function resetToken({ email }: Person): Promise<string> {
  await post("/request-password-reset", { email });
  return mailedToken(email, "account_reset");
}

const changes: [string, (person: Person) => Promise<unknown>][] = [
  [
    "a reset by mail",
    async (person) =>
      post("/reset-password", { token: await resetToken(person), newPassword: fresh }),
  ],
  [
    "a change in the settings",
    ({ cookie }) =>
      post("/change-password", { currentPassword: password, newPassword: fresh }, cookie),
  ],
  [
    "a change that asks to leave other sessions alone",
    ({ cookie }) =>
      post(
        "/change-password",
        { currentPassword: password, newPassword: fresh, revokeOtherSessions: false },
        cookie,
      ),
  ],
  ["a reset by the operator", ({ email }) => resetPassword(email)],
];

test.each(changes)("%s ends every reset link and every other session", async (_, change) => {
  const person = await somePerson();
  const elsewhere = cookiesOf(await signIn(person.email));
  const earlier = [await resetToken(person), await resetToken(person)];
  await change(person);
  expect(await isSignedIn(elsewhere)).toBe(false);
  for (const token of earlier)
    expect((await post("/reset-password", { token, newPassword: password })).status).toBe(400);
  expect((await signIn(person.email)).status).toBe(401);
});

test("no device is trusted to go without the second factor, whatever a caller asks for", async () => {
  const { email, cookie } = await somePerson();
  const enabled = (await (await post("/two-factor/enable", { password }, cookie)).json()) as {
    totpURI: string;
    backupCodes: string[];
  };
  const secret = secretOf(enabled.totpURI);
  await post("/two-factor/verify-totp", { code: codeOf(secret, -1), trustDevice: true }, cookie);
  const codes = [
    ["/two-factor/verify-totp", codeOf(secret)],
    ["/two-factor/verify-backup-code", enabled.backupCodes[0]],
  ] as const;
  for (const [path, code] of codes) {
    const half = cookiesOf(await signIn(email));
    const answer = await post(path, { code, trustDevice: true }, half);
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().join()).not.toContain("trust_device");
    expect(await (await signIn(email)).json()).toMatchObject({ twoFactorRedirect: true });
  }
});

test("a half-finished sign-in ends with the password that began it", async () => {
  const { email, cookie } = await somePerson();
  const { totpURI } = (await (await post("/two-factor/enable", { password }, cookie)).json()) as {
    totpURI: string;
  };
  const secret = secretOf(totpURI);
  await post("/two-factor/verify-totp", { code: codeOf(secret, -1) }, cookie);
  const half = cookiesOf(await signIn(email));
  await resetPassword(email);
  const answer = await post("/two-factor/verify-totp", { code: codeOf(secret) }, half);
  expect(answer.status).toBe(401);
});

test("signing out everywhere else ends reset links too", async () => {
  const person = await somePerson();
  const token = await resetToken(person);
  await call(sessionsRoute.DELETE, "/me/sessions", {
    method: "DELETE",
    headers: { cookie: person.cookie },
  });
  expect((await post("/reset-password", { token, newPassword: fresh })).status).toBe(400);
});

test.each([
  ["/sign-in/email", { callbackURL: "https://evil.example" }],
  ["/request-password-reset", { redirectTo: "https://evil.example" }],
])("%s sees its own fields alone", async (path, more) => {
  const { email } = await somePerson();
  const answer = await post(path, { email, password, ...more });
  expect(answer.status).toBe(200);
  expect(await answer.text()).not.toContain("evil.example");
});
