import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import * as invitationsRoute from "@/app/api/team/invitations/route";
import * as mailsRoute from "@/app/api/mails/route";
import { db } from "@/db/client";
import { mails } from "@/db/schema/mails";
import { BusinessName, PersonName } from "@/lib/contract/names";
import { unscopedFindUserByEmail } from "@/lib/domain/users/rows";
import { signInRoute } from "@/lib/http/sign-in";
import { take } from "@/lib/domain/limits/limits";
import { dataOf } from "./office";
import { as, call, someEmail, someStaff } from "./person";

const written = (recipient: string, kind: string) =>
  db.$count(mails, and(eq(mails.recipient, recipient), eq(mails.kind, kind)));
const askReset = (email: string) =>
  call(signInRoute, "/auth/request-password-reset", { method: "POST", body: { email } });
const inviteAs = (staff: Awaited<ReturnType<typeof someStaff>>, email: string) =>
  call(invitationsRoute.POST, "/team/invitations", {
    method: "POST",
    headers: as(staff),
    body: { email, role: "viewer" },
  });

test("one recipient gets five reset mails an hour, and the answer stays the same", async () => {
  const { email } = await someStaff();
  const answers = [];
  for (let i = 0; i < 7; i++) {
    const answer = await askReset(email);
    answers.push(`${answer.status} ${await answer.text()}`);
  }
  expect(new Set(answers).size).toBe(1);
  expect(await written(email, "account_reset")).toBe(5);
});

test("mails of one kind take nothing from those of another", async () => {
  const { email } = await someStaff();
  for (let i = 0; i < 6; i++) await take("account_mail_recipient", `account_verification:${email}`);
  await askReset(email);
  expect(await written(email, "account_reset")).toBe(1);
});

test("one recipient gets ten invitations a day, and the answer does not tell", async () => {
  const staff = await someStaff();
  const guest = someEmail();
  for (let i = 0; i < 12; i++) expect((await inviteAs(staff, guest)).status).toBe(200);
  expect(await written(guest, "account_invitation")).toBe(10);
});

test.each([
  [
    "a business",
    (staff: { businessId: number }) => ["account_mail_business", String(staff.businessId)],
    100,
  ],
  ["a person", (staff: { userId: string }) => ["account_mail_sender", staff.userId], 50],
] as const)(
  "above its invitations of a day %s gets a 429, and none is written",
  async (_, who, most) => {
    const staff = await someStaff();
    const [limit, name] = who(staff) as ["account_mail_business" | "account_mail_sender", string];
    await take(limit, name, most);
    const guest = someEmail();
    const refused = await inviteAs(staff, guest);
    expect(refused.status).toBe(429);
    expect(refused.headers.has("retry-after")).toBe(true);
    expect(await written(guest, "account_invitation")).toBe(0);
  },
);

test("account mails are in no business's list", async () => {
  const staff = await someStaff();
  await askReset(staff.email);
  await inviteAs(staff, someEmail());
  expect(await unscopedFindUserByEmail(staff.email)).toBeDefined();
  const list = await dataOf<{ data: unknown[] }>(
    call(mailsRoute.GET, "/mails", { headers: as(staff) }),
  );
  expect(list.data).toEqual([]);
});

test.each([
  "Security Team https://evil.example",
  "Verify at www.evil.example",
  "evil.example/now",
  "help@evil.example",
  "Ana\nCosta",
])("%j is no name", (name) => {
  expect(PersonName.safeParse(name).success).toBe(false);
  expect(BusinessName.safeParse(name).success).toBe(false);
});

test("names with dots are names; a domain alone is one of a business only", () => {
  for (const name of ["Dr. Ana Costa", "A. B. Costa", "O'Brien & Sons"]) {
    expect(PersonName.safeParse(name).success, name).toBe(true);
    expect(BusinessName.safeParse(name).success, name).toBe(true);
  }
  expect(BusinessName.safeParse("Booking.com").success).toBe(true);
  expect(PersonName.safeParse("evil.com").success).toBe(false);
});
