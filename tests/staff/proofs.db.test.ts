import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import * as meRoute from "@/app/api/me/route";
import * as sessionsRoute from "@/app/api/me/sessions/route";
import { db, pool } from "@/db/client";
import { sessions, verifications } from "@/db/schema/auth";
import { resetPassword } from "@/lib/domain/accounts/reset-password";
import { signInRoute } from "@/lib/http/sign-in";
import { newAuthenticator } from "./authenticator";
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
  await post("/two-factor/verify-totp", { code: codeOf(secret), trustDevice: true }, cookie);
  const codes = [
    ["/two-factor/verify-totp", codeOf(secret, 1)],
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
  await post("/two-factor/verify-totp", { code: codeOf(secret) }, cookie);
  const half = cookiesOf(await signIn(email));
  await resetPassword(email);
  const answer = await post("/two-factor/verify-totp", { code: codeOf(secret, 1) }, half);
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

/** Keeps what `table` would take until `release` is called; `reached` resolves when a row waits. */
async function held(table: "auth_sessions" | "auth_verifications") {
  const holder = await pool().connect();
  await holder.query("select pg_advisory_lock(7001)");
  await holder.query(`create or replace function hold_row() returns trigger language plpgsql set lock_timeout = 0 as
    $$ begin perform pg_advisory_xact_lock_shared(7001); return new; end $$`);
  await holder.query(
    `create trigger held before insert on ${table} for each row execute function hold_row()`,
  );
  return {
    reached: () =>
      vi.waitFor(
        async () => {
          const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
          expect((await holder.query(waiting)).rows).toHaveLength(1);
        },
        { timeout: 60_000 },
      ),
    release: async () => {
      await holder.query("select pg_advisory_unlock(7001)");
      await holder.query(`drop trigger held on ${table}`);
      holder.release();
    },
  };
}

async function withSecondFactor({ cookie }: Person): Promise<Buffer> {
  const begun = await post("/two-factor/enable", { password }, cookie);
  const secret = secretOf(((await begun.json()) as { totpURI: string }).totpURI);
  await post("/two-factor/verify-totp", { code: codeOf(secret) }, cookie);
  return secret;
}

async function passkeySignIn({ cookie }: Person): Promise<() => Promise<Response>> {
  const device = newAuthenticator();
  const ask = async (path: string, from: string) => {
    const options = await call(signInRoute, `/auth/passkey${path}`, { headers: { cookie: from } });
    const { challenge } = (await options.json()) as { challenge: string };
    return { challenge, cookie: cookiesOf(options, from) };
  };
  const made = await ask("/generate-register-options?name=Laptop", cookie);
  const response = device.register(made.challenge);
  await post("/passkey/verify-registration", { response, name: "Laptop" }, made.cookie);
  const asked = await ask("/generate-authenticate-options", "");
  return () =>
    post(
      "/passkey/verify-authentication",
      { response: device.answer(asked.challenge) },
      asked.cookie,
    );
}

const begun: [string, "auth_sessions" | "auth_verifications", typeof passkeySignIn][] = [
  [
    "by password",
    "auth_sessions",
    async ({ email }) =>
      () =>
        signIn(email),
  ],
  [
    "by code",
    "auth_sessions",
    async (person) => {
      const secret = await withSecondFactor(person);
      const half = cookiesOf(await signIn(person.email));
      return () => post("/two-factor/verify-totp", { code: codeOf(secret, 1) }, half);
    },
  ],
  [
    "by password, with the code still to come,",
    "auth_verifications",
    async (person) => {
      await withSecondFactor(person);
      return () => signIn(person.email);
    },
  ],
  ["by a passkey that is taken away", "auth_sessions", passkeySignIn],
];

test.each(begun)(
  "a sign-in %s ends with the credentials that it began with",
  async (way, table, begin) => {
    const person = await somePerson();
    const finish = await begin(person);
    const { reached, release } = await held(table);
    let answer: Promise<Response>;
    try {
      answer = finish();
      await reached();
      await resetPassword(person.email, { secondFactors: way.includes("passkey") });
    } finally {
      await release();
    }
    const given = await answer;
    expect(given.status).toBe(401);
    expect(cookiesOf(given)).not.toMatch(/session_token|two_factor/);
    expect(await db.$count(sessions, eq(sessions.userId, person.userId))).toBe(0);
    expect(await db.$count(verifications, eq(verifications.value, person.userId))).toBe(0);
  },
);
