import { beforeAll, expect, test } from "vitest";
import * as auditRoute from "@/app/api/audit-log/route";
import type { AuditEntry } from "@/lib/contract/business";
import { countTry } from "@/lib/domain/accounts/sign-in-tries";
import { resetPassword } from "@/lib/domain/accounts/reset-password";
import { provideEnv } from "@/lib/env";
import { signInRoute } from "@/lib/http/sign-in";
import { backgroundDone } from "@/lib/kernel/background";
import { newAuthenticator } from "./authenticator";
import { dataOf, mailedToken } from "./office";
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

const wrong = "wrong horse battery";

/** A try from a browser that holds these cookies. */
const tryFrom = (
  email: string,
  options: { password?: string; address?: string; cookie?: string },
) =>
  call(signInRoute, "/auth/sign-in/email", {
    method: "POST",
    body: { email, password: options.password ?? password },
    address: options.address,
    headers: options.cookie ? { cookie: options.cookie } : {},
  });

beforeAll(() => provideEnv({ RATE_LIMIT_SIGN_IN: "0" }));

const isLocked = async (answer: Response) =>
  answer.status === 429 && ((await answer.json()) as { code: string }).code === "account_locked";

/** Ten wrong passwords from one address. */
async function failTen(email: string, from: { address?: string; cookie?: string }) {
  for (let i = 0; i < 10; i++)
    expect((await tryFrom(email, { ...from, password: wrong })).status).toBe(401);
}

/** Failures from everywhere, without the cost of their hashes. */
async function failHundred(email: string, times = 100) {
  for (let i = 0; i < times; i++)
    expect(
      (await countTry({ email, browserCookie: undefined, clientAddress: someAddress() })).allowed,
    ).toBe(true);
}

const onlyKnown = (cookie: string) =>
  cookie.split("; ").find((pair) => pair.startsWith("kutip.known_browser=")) ?? "";

async function entries(staff: { cookie: string; businessId: number }): Promise<AuditEntry[]> {
  await backgroundDone();
  return (
    await dataOf<{ data: AuditEntry[] }>(
      call(auditRoute.GET, "/audit-log?per_page=100", { headers: as(staff) }),
    )
  ).data;
}

test("ten wrong passwords lock the account for their address, and for no other", async () => {
  const { email } = await somePerson();
  const network = "2001:db8:1:1";
  for (let i = 0; i < 10; i++)
    await tryFrom(email, { password: wrong, address: `${network}::${i}` });
  expect(await isLocked(await tryFrom(email, { address: `${network}::99` }))).toBe(true);
  expect((await tryFrom(email, { address: someAddress() })).status).toBe(200);
});

test("a known browser signs in where a stranger's failures have locked its address", async () => {
  const { email, cookie } = await somePerson();
  const address = someAddress();
  await failTen(email, { address });
  expect(await isLocked(await tryFrom(email, { address }))).toBe(true);
  expect((await tryFrom(email, { address: someAddress(), cookie: onlyKnown(cookie) })).status).toBe(
    200,
  );
});

test("a hundred failures a day leave known browsers, passkeys and a mailed link", async () => {
  const person = await somePerson();
  const device = newAuthenticator();
  const passkey = (path: string, cookie: string, body?: unknown) =>
    call(signInRoute, `/auth/passkey${path}`, {
      method: body ? "POST" : "GET",
      headers: { cookie },
      body,
    });
  const challenge = async (path: string, cookie: string) => {
    const answer = await passkey(path, cookie);
    return {
      challenge: ((await answer.json()) as { challenge: string }).challenge,
      cookie: cookiesOf(answer, cookie),
    };
  };
  const begun = await challenge("/generate-register-options?name=Laptop", person.cookie);
  await passkey("/verify-registration", begun.cookie, {
    response: device.register(begun.challenge),
    name: "Laptop",
  });

  await failHundred(person.email, 95);
  for (let i = 0; i < 5; i++)
    expect((await tryFrom(person.email, { password: wrong, address: someAddress() })).status).toBe(
      401,
    );
  const locked = await tryFrom(person.email, { address: someAddress() });
  expect([locked.status, await locked.json()]).toMatchObject([429, { code: "account_locked" }]);
  expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(0);

  expect((await tryFrom(person.email, { cookie: onlyKnown(person.cookie) })).status).toBe(200);
  const asked = await challenge("/generate-authenticate-options", "");
  const byPasskey = await passkey("/verify-authentication", asked.cookie, {
    response: device.answer(asked.challenge),
  });
  expect(byPasskey.status).toBe(200);

  await call(signInRoute, "/auth/request-password-reset", {
    method: "POST",
    body: { email: person.email },
  });
  const token = await mailedToken(person.email, "account_reset");
  const reset = await call(signInRoute, "/auth/reset-password", {
    method: "POST",
    body: { token, newPassword: "another horse battery" },
  });
  expect(reset.status).toBe(200);
  expect((await tryFrom(person.email, { password: "another horse battery" })).status).toBe(200);
});

test("the operator's reset ends a lock", async () => {
  const { email } = await somePerson();
  await failHundred(email);
  const { password: fresh } = await resetPassword(email);
  expect((await signIn(email, { password: fresh })).status).toBe(200);
});

test("an unknown account is locked in the same words", async () => {
  const unknown = someEmail();
  const { email } = await somePerson();
  const answers = [];
  for (const one of [unknown, email]) {
    await failHundred(one);
    const locked = await tryFrom(one, { address: someAddress() });
    answers.push([locked.status, await locked.json()]);
  }
  expect(answers[0]).toEqual(answers[1]);
});

test("tries side by side count each", async () => {
  const { email } = await somePerson();
  const answers = await Promise.all(
    Array.from({ length: 14 }, (_, i) =>
      tryFrom(email, { password: wrong, address: `2001:db8:2:2::${i}` }),
    ),
  );
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(4);
});

test("a right password forgets the wrong ones before it", async () => {
  const { email } = await somePerson();
  const from = (i: number) => ({ address: `2001:db8:3:3::${i}` });
  for (let i = 0; i < 9; i++) await tryFrom(email, { ...from(i), password: wrong });
  expect((await tryFrom(email, from(20))).status).toBe(200);
  expect((await tryFrom(email, { ...from(21), password: wrong })).status).toBe(401);
});

test("the mark of a known browser is good for its own account only, and not when it was changed", async () => {
  const one = await somePerson();
  const other = await somePerson();
  await failHundred(other.email);
  for (const cookie of [onlyKnown(one.cookie), onlyKnown(other.cookie).replace(/.$/, "!")])
    expect((await tryFrom(other.email, { cookie })).status).toBe(429);
});

test("a stolen mark of a known browser has ten tries, and takes none from its owner's other browser", async () => {
  const { email, cookie: stolen } = await somePerson();
  const own = cookiesOf(await signIn(email));
  for (let i = 0; i < 10; i++)
    await tryFrom(email, { cookie: onlyKnown(stolen), password: wrong, address: someAddress() });
  expect((await tryFrom(email, { cookie: onlyKnown(stolen) })).status).toBe(429);
  expect((await tryFrom(email, { cookie: onlyKnown(own) })).status).toBe(200);
});

test("failures and the lock are in the audit log with account and address; an unknown account leaves none", async () => {
  const staff = await someStaff();
  const address = someAddress();
  await failTen(staff.email, { address });
  const found = await entries(staff);
  const failed = found.filter(({ action }) => action === "sign_in_failed");
  expect(failed).toHaveLength(10);
  expect(failed[0]).toMatchObject({ address, details: { email: staff.email } });
  expect(found.find(({ action }) => action === "sign_in_locked")).toMatchObject({
    address,
    details: { email: staff.email, scope: "address" },
  });
});

test("right passwords do not use up the failures of a day", async () => {
  const { email } = await somePerson();
  for (let i = 0; i < 99; i++)
    await countTry({ email, browserCookie: undefined, clientAddress: someAddress() });
  for (let i = 0; i < 3; i++)
    expect((await tryFrom(email, { address: someAddress() })).status).toBe(200);
});
