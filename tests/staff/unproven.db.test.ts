import { and, eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import * as acceptRoute from "@/app/api/invitations/accept/route";
import * as lookUpRoute from "@/app/api/invitations/look-up/route";
import * as meRoute from "@/app/api/me/route";
import * as packagesRoute from "@/app/api/packages/route";
import * as invitationsRoute from "@/app/api/team/invitations/route";
import * as linkRoute from "@/app/api/team/invitations/[invitation_id]/link/route";
import { db, pool } from "@/db/client";
import { passkeys, twoFactors } from "@/db/schema/auth";
import { auditEntries } from "@/db/schema/team";
import { addMember } from "@/lib/domain/users/create";
import { resetPassword } from "@/lib/domain/accounts/reset-password";
import { signInRoute } from "@/lib/http/sign-in";
import { dataOf, mailedToken } from "./office";
import {
  as,
  call,
  cookiesOf,
  password,
  type Person,
  signIn,
  someEmail,
  somePerson,
  someStaff,
} from "./person";

type Staff = Awaited<ReturnType<typeof someStaff>>;
type Me = { user: { email_verified: boolean }; businesses: { business_id: number }[] };

const auth = (method: string, path: string, cookie: string, body?: unknown) =>
  call(signInRoute, `/auth${path}`, { method, body, headers: cookie ? { cookie } : {} });
const me = (cookie: string) => dataOf<Me>(call(meRoute.GET, "/me", { headers: { cookie } }));
const opened = async (cookie: string) =>
  (await me(cookie)).businesses.map(({ business_id }) => business_id);
const read = async (staff: { cookie: string; businessId: number }) =>
  (await call(packagesRoute.GET, "/packages", { headers: as(staff) })).status;
const invite = (staff: Staff, email: string, role = "staff") =>
  call(invitationsRoute.POST, "/team/invitations", {
    method: "POST",
    headers: as(staff),
    body: { email, role },
  });
const copy = (staff: Staff, id: string) =>
  call(linkRoute.POST, `/team/invitations/${id}/link`, {
    method: "POST",
    headers: as(staff),
    params: { invitation_id: id },
  });
const accept = (body: unknown, cookie?: string) =>
  call(acceptRoute.POST, "/invitations/accept", {
    method: "POST",
    body,
    headers: cookie ? { cookie } : {},
  });

const lookUp = (token: string, cookie: string) =>
  dataOf<{ known: boolean; resets: boolean }>(
    call(lookUpRoute.POST, "/invitations/look-up", {
      method: "POST",
      body: { token },
      headers: cookie ? { cookie } : {},
    }),
  );
/** Whether an invitation says that its address has an account. */
const isKnown = async (token: string, cookie: string) => (await lookUp(token, cookie)).known;

/** The token in the link that a member copies for a new invitation. */
async function copiedToken(staff: Staff, email: string): Promise<string> {
  const { _id } = await dataOf<{ _id: string }>(invite(staff, email));
  const { url } = await dataOf<{ url: string }>(copy(staff, _id));
  return url.split("#")[1] ?? "";
}

/** A person who joined with an address that they may not own. */
async function joinedByLink(staff: Staff, email: string, secret = password): Promise<Person> {
  const answer = await accept({
    token: await copiedToken(staff, email),
    name: "By Link",
    password: secret,
  });
  expect(answer.status).toBe(200);
  return { userId: "", email, cookie: cookiesOf(answer) };
}

/** An account of before the rule, with all that an attacker could leave in it. */
async function planted(): Promise<Staff> {
  const { businessId } = await someStaff();
  const person = await somePerson(false);
  await addMember(businessId, person.userId, "owner");
  await db.insert(passkeys).values({
    userId: person.userId,
    publicKey: "k",
    credentialID: person.userId,
    counter: 0,
    deviceType: "singleDevice",
    backedUp: false,
  });
  await db
    .insert(twoFactors)
    .values({ userId: person.userId, secret: "s", backupCodes: "b", verified: false });
  return { ...person, businessId };
}

async function factorsOf(userId: string): Promise<number> {
  return (
    (await db.$count(passkeys, eq(passkeys.userId, userId))) +
    (await db.$count(twoFactors, eq(twoFactors.userId, userId)))
  );
}

async function confirm(email: string, cookie = ""): Promise<Response> {
  await auth("POST", "/send-verification-email", cookie, { email });
  const token = await mailedToken(email, "account_verification");
  return auth("GET", `/verify-email?token=${token}`, cookie);
}

test("an account with an unproven address opens no business", async () => {
  const account = await planted();
  expect(await opened(account.cookie)).toEqual([]);
  const answer = await call(packagesRoute.GET, "/packages", { headers: as(account) });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: "email_unverified" }]);
});

test.each([
  ["POST", "/two-factor/enable", { password }],
  ["POST", "/two-factor/generate-backup-codes", { password }],
  ["POST", "/two-factor/verify-totp", { code: "123456" }],
  ["GET", "/passkey/generate-register-options?name=A", undefined],
  ["POST", "/passkey/verify-registration", { response: {}, name: "A" }],
])("an account with an unproven address is refused %s %s", async (method, path, body) => {
  const { cookie } = await somePerson(false);
  const answer = await auth(method, path, cookie, body);
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: "email_unverified" }]);
});

test("confirming in the account's own browser keeps its password and opens its business", async () => {
  const account = await planted();
  expect(await (await confirm(account.email, account.cookie)).json()).not.toHaveProperty(
    "password_token",
  );
  expect(await opened(account.cookie)).toEqual([account.businessId]);
  expect((await signIn(account.email)).status).toBe(200);
});

test("confirming anywhere else ends password, sessions, passkeys and second factor, and keeps the membership", async () => {
  const account = await planted();
  const { password_token: token } = (await (await confirm(account.email)).json()) as {
    password_token: string;
  };
  expect((await call(meRoute.GET, "/me", { headers: { cookie: account.cookie } })).status).toBe(
    401,
  );
  expect((await signIn(account.email)).status).toBe(401);
  expect(await factorsOf(account.userId)).toBe(0);
  const newPassword = "a wholly new sentence";
  expect((await auth("POST", "/reset-password", "", { token, newPassword })).status).toBe(200);
  const cookie = cookiesOf(await signIn(account.email, { password: newPassword }));
  expect(await opened(cookie)).toEqual([account.businessId]);
});

test("a browser that is signed in as another person counts as another browser", async () => {
  const account = await planted();
  const other = await somePerson();
  await auth("POST", "/send-verification-email", "", { email: account.email });
  const token = await mailedToken(account.email, "account_verification");
  const answer = await auth("GET", `/verify-email?token=${token}`, other.cookie);
  expect(await answer.json()).toMatchObject({ password_token: expect.any(String) });
  expect((await signIn(account.email)).status).toBe(401);
});

test("a reset by mail is a first proof too", async () => {
  const account = await planted();
  await auth("POST", "/request-password-reset", "", { email: account.email });
  const token = await mailedToken(account.email, "account_reset");
  const newPassword = "a wholly new sentence";
  await auth("POST", "/reset-password", "", { token, newPassword });
  expect(await factorsOf(account.userId)).toBe(0);
  const cookie = cookiesOf(await signIn(account.email, { password: newPassword }));
  expect(await me(cookie)).toMatchObject({ user: { email_verified: true } });
  expect(await opened(cookie)).toEqual([account.businessId]);
});

test("the operator's reset proves an address and ends what the account was given before", async () => {
  const account = await planted();
  const { password: given } = await resetPassword(account.email);
  expect(await factorsOf(account.userId)).toBe(0);
  expect(await opened(cookiesOf(await signIn(account.email, { password: given })))).toEqual([
    account.businessId,
  ]);
});

test("a copied invitation link opens its one business, and proves nothing", async () => {
  const owner = await someStaff();
  const person = await joinedByLink(owner, someEmail());
  expect(await me(person.cookie)).toMatchObject({ user: { email_verified: false } });
  expect(await opened(person.cookie)).toEqual([owner.businessId]);
  expect(await read({ ...person, businessId: owner.businessId })).toBe(200);
  const enable = await auth("POST", "/two-factor/enable", person.cookie, { password });
  expect(enable.status).toBe(403);
});

test("a member with an unproven address can neither invite nor copy a link", async () => {
  const owner = await someStaff();
  const email = someEmail();
  const { _id: pending } = await dataOf<{ _id: string }>(invite(owner, someEmail()));
  const { _id } = await dataOf<{ _id: string }>(invite(owner, email, "admin"));
  const { url } = await dataOf<{ url: string }>(copy(owner, _id));
  const answer = await accept({ token: url.split("#")[1], name: "By Link", password });
  const admin = { ...owner, cookie: cookiesOf(answer) };
  for (const refused of [await invite(admin, someEmail()), await copy(admin, pending)])
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      {
        code: "email_unverified",
        message: "Confirm your e-mail address first, under Settings → Security.",
      },
    ]);
});

test("another copied link resets an unproven account, and opens only its own business", async () => {
  const [first, second] = [await someStaff(), await someStaff()];
  const email = someEmail();
  const victim = await joinedByLink(first, email);
  const taker = await joinedByLink(second, email, "the password of another");
  expect((await call(meRoute.GET, "/me", { headers: { cookie: victim.cookie } })).status).toBe(401);
  expect((await signIn(email)).status).toBe(401);
  expect(await opened(taker.cookie)).toEqual([second.businessId]);
  expect(await read({ ...taker, businessId: first.businessId })).toBe(403);
  const noted = await db
    .select()
    .from(auditEntries)
    .where(
      and(eq(auditEntries.businessId, first.businessId), eq(auditEntries.action, "account_reset")),
    );
  expect(noted).toHaveLength(1);
});

test("only the account that a copied link would reset is told so, before it accepts", async () => {
  const [first, second] = [await someStaff(), await someStaff()];
  const [email, proven] = [someEmail(), await somePerson()];
  const byLink = await joinedByLink(first, email);
  const token = await copiedToken(second, email);
  expect(await lookUp(token, byLink.cookie)).toMatchObject({ known: false, resets: true });
  for (const cookie of ["", second.cookie, proven.cookie])
    expect(await lookUp(token, cookie)).toMatchObject({ known: false, resets: false });
  const mailed = await mailedToken(email, "account_invitation");
  for (const [kept, { cookie }] of [
    [mailed, byLink],
    [await copiedToken(second, proven.email), proven],
  ] as const)
    expect(await lookUp(kept, cookie)).toMatchObject({ known: true, resets: false });
});

test("the first mailed proof of an address ends what its copied link opened, and keeps every membership", async () => {
  const [first, second] = [await someStaff(), await someStaff()];
  const email = someEmail();
  const byLink = await joinedByLink(first, email);
  await dataOf(invite(second, email));
  const token = await mailedToken(email, "account_invitation");
  const fresh = "a wholly new sentence";
  const answer = await accept({ token, name: "Real Owner", password: fresh });
  expect(answer.status).toBe(200);
  expect((await call(meRoute.GET, "/me", { headers: { cookie: byLink.cookie } })).status).toBe(401);
  expect((await signIn(email)).status).toBe(401);
  expect((await opened(cookiesOf(answer))).sort()).toEqual(
    [first.businessId, second.businessId].sort(),
  );
});

test("a mailed invitation accepted in the account's own browser keeps its password", async () => {
  const [first, second] = [await someStaff(), await someStaff()];
  const email = someEmail();
  const byLink = await joinedByLink(first, email);
  await dataOf(invite(second, email));
  const token = await mailedToken(email, "account_invitation");
  expect((await accept({ token }, byLink.cookie)).status).toBe(200);
  expect(await me(byLink.cookie)).toMatchObject({ user: { email_verified: true } });
  expect((await signIn(email)).status).toBe(200);
});

test("a copied link alone opens nothing of a proven account", async () => {
  const owner = await someStaff();
  const person = await somePerson();
  const token = await copiedToken(owner, person.email);
  expect((await accept({ token, name: "Eve", password: "another sentence" })).status).toBe(401);
  expect((await accept({ token }, person.cookie)).status).toBe(200);
});

test("a copied link is answered alike whether or not its address has an account, but to that account", async () => {
  const owner = await someStaff();
  const person = await somePerson();
  const [theirs, ours] = [
    await copiedToken(owner, person.email),
    await copiedToken(owner, someEmail()),
  ];
  for (const cookie of ["", owner.cookie]) {
    const known = [await isKnown(theirs, cookie), await isKnown(ours, cookie)];
    expect(known).toEqual([false, false]);
    for (const sent of [{}, { name: "Eve" }, { name: "Eve", password: "short" }]) {
      const answers = await Promise.all(
        [theirs, ours].map((token) => accept({ token, ...sent }, cookie)),
      );
      const [one, other] = await Promise.all(answers.map((answer) => answer.json()));
      expect(answers.map(({ status }) => status)).toEqual([422, 422]);
      expect(one).toEqual({ ...other, meta: one.meta });
    }
  }
  expect(await isKnown(theirs, person.cookie)).toBe(true);
});

test("the copied link of an invitation is the same each time, and ends with it", async () => {
  const owner = await someStaff();
  const email = someEmail();
  const { _id } = await dataOf<{ _id: string }>(invite(owner, email));
  const [one, two] = [await dataOf(copy(owner, _id)), await dataOf(copy(owner, _id))];
  expect(one).toEqual(two);
  await dataOf(invite(owner, email));
  expect((await copy(owner, _id)).status).toBe(404);
  const token = (one.url as string).split("#")[1];
  expect((await accept({ token, name: "Late", password })).status).toBe(404);
});

test.each<[string, (account: Staff) => Promise<() => Promise<unknown>>]>([
  [
    "a copied link",
    async ({ email }) => {
      const token = await copiedToken(await someStaff(), email);
      return () => accept({ token, name: "Eve", password: "another sentence" });
    },
  ],
  [
    "the operator's command",
    async ({ email }) =>
      () =>
        resetPassword(email),
  ],
  [
    "a reset by mail",
    async ({ email }) => {
      await auth("POST", "/request-password-reset", "", { email });
      const token = await mailedToken(email, "account_reset");
      const newPassword = "a wholly new sentence";
      return () => auth("POST", "/reset-password", "", { token, newPassword });
    },
  ],
  [
    "a confirmation elsewhere",
    async ({ email }) => {
      await auth("POST", "/send-verification-email", "", { email });
      const token = await mailedToken(email, "account_verification");
      return () => auth("GET", `/verify-email?token=${token}`, "");
    },
  ],
])(
  "an account whose address is being proven keeps passkey and second factor: %s waits for it",
  async (_, prepare) => {
    const account = await planted();
    const reset = await prepare(account);
    const other = await pool().connect();
    try {
      await other.query("begin");
      await other.query("update auth_users set email_verified = true where id = $1", [
        account.userId,
      ]);
      const done = reset();
      await vi.waitFor(
        async () => {
          const { rows } = await pool().query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          );
          expect(rows).toHaveLength(1);
        },
        { timeout: 60_000 },
      );
      await other.query("commit");
      await done;
    } finally {
      other.release();
    }
    expect(await factorsOf(account.userId)).toBe(2);
  },
);
