import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import * as meRoute from "@/app/api/me/route";
import * as resetRoute from "@/app/api/team/members/[member_id]/second-factor/reset/route";
import { db } from "@/db/client";
import { passkeys, twoFactors } from "@/db/schema/auth";
import { mails } from "@/db/schema/mails";
import { auditEntries } from "@/db/schema/team";
import type { Role } from "@/lib/contract/values";
import { addMember } from "@/lib/domain/users/create";
import { unscopedFindUser } from "@/lib/domain/users/rows";
import { signInRoute } from "@/lib/http/sign-in";
import { mailedToken } from "./office";
import { as, call, cookiesOf, password, signIn, somePerson, someStaff } from "./person";
import { codeOf, secretOf } from "./totp";

type Staff = Awaited<ReturnType<typeof someStaff>>;

const auth = (path: string, body: unknown, cookie: string) =>
  call(signInRoute, `/auth${path}`, { method: "POST", body, headers: { cookie } });
const reset = (by: Staff, { userId }: Staff) =>
  call(resetRoute.POST, `/team/members/${userId}/second-factor/reset`, {
    method: "POST",
    headers: as(by),
    params: { member_id: userId },
  });
const factors = async (userId: string) =>
  (await db.$count(passkeys, eq(passkeys.userId, userId))) +
  (await db.$count(twoFactors, eq(twoFactors.userId, userId)));

/** A member with an authenticator app and a passkey. */
async function guarded(staff: Staff, role: Role): Promise<Staff> {
  const person = await somePerson();
  await addMember(staff.businessId, person.userId, role);
  const enabled = await auth("/two-factor/enable", { password }, person.cookie);
  const { totpURI } = (await enabled.json()) as { totpURI: string };
  const code = codeOf(secretOf(totpURI));
  const verified = await auth("/two-factor/verify-totp", { code }, person.cookie);
  expect(verified.status).toBe(200);
  await db.insert(passkeys).values({
    userId: person.userId,
    publicKey: "k",
    credentialID: person.userId,
    counter: 0,
    deviceType: "singleDevice",
    backedUp: false,
  });
  return { ...person, cookie: cookiesOf(verified, person.cookie), businessId: staff.businessId };
}

test("another owner resets a lost second factor: it is audited, mailed, and ends every session", async () => {
  const owner = await someStaff();
  const lost = await guarded(owner, "owner");
  expect((await reset(owner, lost)).status).toBe(200);
  expect(await factors(lost.userId)).toBe(0);
  expect((await call(meRoute.GET, "/me", { headers: { cookie: lost.cookie } })).status).toBe(401);
  expect(cookiesOf(await signIn(lost.email))).toContain("session_token");
  const [entry] = await db
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.businessId, owner.businessId),
        eq(auditEntries.action, "resetSecondFactor"),
      ),
    );
  expect(entry).toMatchObject({ actorId: owner.userId, objectId: lost.userId });
  expect(entry?.address).toMatch(/^10[.]/);
  expect(JSON.parse(entry?.details ?? "{}")).toMatchObject({ email: lost.email });
  const subjects = await db.select().from(mails).where(eq(mails.recipient, lost.email));
  expect(subjects.map(({ subject }) => subject).join()).toMatch(/second factor.*reset/i);
});

test("a person cannot reset their own second factor", async () => {
  const owner = await someStaff();
  const lost = await guarded(owner, "owner");
  const signedIn = { ...lost, businessId: owner.businessId };
  expect((await reset(signedIn, lost)).status).toBe(409);
  expect(await factors(lost.userId)).toBe(2);
});

test("an admin cannot reset a second factor", async () => {
  const owner = await someStaff();
  const admin = await guarded(owner, "admin");
  const lost = await guarded(owner, "staff");
  expect((await reset(admin, lost)).status).toBe(403);
  expect(await factors(lost.userId)).toBe(2);
});

test("an owner resets no one who belongs to a business that they do not own", async () => {
  const [owner, other] = [await someStaff(), await someStaff()];
  const lost = await guarded(owner, "staff");
  await addMember(other.businessId, lost.userId, "viewer");
  expect((await reset(owner, lost)).status).toBe(409);
  await addMember(other.businessId, owner.userId, "admin");
  expect((await reset(owner, lost)).status).toBe(409);
  expect((await reset(other, { ...lost, userId: owner.userId })).status).toBe(409);
  expect(await factors(lost.userId)).toBe(2);
});

test("a stranger to the business is not found", async () => {
  const [owner, other] = [await someStaff(), await someStaff()];
  expect((await reset(owner, await guarded(other, "staff"))).status).toBe(404);
});

test("a reset mail alone leaves the second factor of a proven account", async () => {
  const lost = await guarded(await someStaff(), "owner");
  await auth("/request-password-reset", { email: lost.email }, "");
  const token = await mailedToken(lost.email, "account_reset");
  const newPassword = "a wholly new sentence";
  expect((await auth("/reset-password", { token, newPassword }, "")).status).toBe(200);
  expect(await factors(lost.userId)).toBe(2);
  expect((await unscopedFindUser(lost.userId))?.twoFactorEnabled).toBe(true);
  const answer = await signIn(lost.email, { password: newPassword });
  expect(await answer.json()).toMatchObject({ twoFactorRedirect: true });
});
