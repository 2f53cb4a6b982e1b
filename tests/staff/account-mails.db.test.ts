import { and, eq, inArray, sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import * as invitationRoute from "@/app/api/team/invitations/[invitation_id]/route";
import * as invitationsRoute from "@/app/api/team/invitations/route";
import * as mailsRoute from "@/app/api/mails/route";
import { db } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import { directory } from "@/db/schema/directory";
import { mails } from "@/db/schema/mails";
import { invitations } from "@/db/schema/team";
import type { Invitation } from "@/lib/contract/team";
import { BusinessName, PersonName } from "@/lib/contract/names";
import { inviteFounder, requestSignUp } from "@/lib/domain/team/sign-up";
import { oldSignIns } from "@/lib/flows/housekeeping/job";
import { unscopedFindUserByEmail } from "@/lib/domain/users/rows";
import { provideEnv } from "@/lib/env";
import { signInRoute } from "@/lib/http/sign-in";
import { take } from "@/lib/domain/limits/limits";
import { dataOf } from "./office";
import { as, call, someEmail, somePerson, someStaff } from "./person";

const written = (recipient: string, kind: string) =>
  db.$count(mails, and(eq(mails.recipient, recipient), eq(mails.kind, kind)));
const askReset = (email: string) =>
  call(signInRoute, "/auth/request-password-reset", { method: "POST", body: { email } });
const askConfirmation = (email: string, cookie?: string) =>
  call(signInRoute, "/auth/send-verification-email", {
    method: "POST",
    headers: cookie ? { cookie } : {},
    body: { email },
  });
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

test("above five confirmation mails an hour the person signed in gets a 429, and a stranger the same answer as ever", async () => {
  const { email, cookie } = await somePerson(false);
  for (let i = 0; i < 5; i++) expect((await askConfirmation(email, cookie)).status).toBe(200);
  const refused = await askConfirmation(email, cookie);
  expect([refused.status, await refused.json()]).toEqual([
    429,
    {
      message:
        "This address gets at most 5 such mails an hour. Open the link in one of them, or try again later.",
      code: "too_many_requests",
      errors: {},
    },
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const other = await somePerson(false);
  const answers = [
    await askConfirmation(email),
    await askConfirmation(other.email),
    await askConfirmation(someEmail()),
  ];
  const texts = await Promise.all(answers.map(async (one) => `${one.status} ${await one.text()}`));
  expect(new Set(texts).size).toBe(1);
  expect(await written(email, "account_verification")).toBe(5);
});

test("mails of one kind take nothing from those of another", async () => {
  const { email } = await someStaff();
  for (let i = 0; i < 6; i++) await take("account_mail_recipient", `account_verification:${email}`);
  await askReset(email);
  expect(await written(email, "account_reset")).toBe(1);
});

test("a stranger who asks for sign-ups of an address takes nothing from its invitations, nor from the operator's", async () => {
  const guest = someEmail();
  onTestFinished(() => provideEnv({ SIGN_UP: "closed", SMTP_URL: "" }));
  provideEnv({ SIGN_UP: "open", SMTP_URL: "smtp://localhost:1" });
  await Promise.all(Array.from({ length: 12 }, () => requestSignUp(guest)));
  expect(await written(guest, "account_invitation")).toBe(5);
  const staff = await someStaff();
  expect((await dataOf<Invitation>(inviteAs(staff, guest))).mail_status).toBe("queued");
  await take("invitation_recipient", `account_invitation:${guest}`, 9);
  await inviteFounder(guest);
  expect(await written(guest, "account_invitation")).toBe(7);
});

const offersTo = async (email: string) =>
  (
    await db
      .select({ digest: invitations.digest })
      .from(invitations)
      .where(and(eq(invitations.businessId, NO_BUSINESS), eq(invitations.email, email)))
  ).map(({ digest }) => digest);
const entered = (digests: string[]) => db.$count(directory, inArray(directory.key, digests));

test("a stranger's address is kept with no more offers than mails, and goes once they have expired", async () => {
  onTestFinished(() => provideEnv({ SIGN_UP: "closed", SMTP_URL: "" }));
  provideEnv({ SIGN_UP: "open", SMTP_URL: "smtp://localhost:1" });
  const [guest, later] = [someEmail(), someEmail()];
  for (let i = 0; i < 7; i++) await requestSignUp(guest);
  const digests = await offersTo(guest);
  expect(digests).toHaveLength(5);
  expect(await entered(digests)).toBe(5);
  await requestSignUp(later);
  await oldSignIns.run("test");
  expect(await offersTo(guest)).toHaveLength(5);
  await db
    .update(invitations)
    .set({ expiresAt: sql`now() - interval '1 second'` })
    .where(eq(invitations.email, guest));
  await oldSignIns.run("test");
  expect([await offersTo(guest), await entered(digests)]).toEqual([[], 0]);
  expect(await offersTo(later)).toHaveLength(1);
});

test("one recipient gets ten invitations a day, and an invitation without a mail says so", async () => {
  const staff = await someStaff();
  const guest = someEmail();
  const made = [];
  for (let i = 0; i < 12; i++) made.push(await dataOf<Invitation>(inviteAs(staff, guest)));
  expect(await written(guest, "account_invitation")).toBe(10);
  expect(made.map((one) => one.mail_status)).toEqual([
    ...Array.from({ length: 10 }, () => "queued"),
    null,
    null,
  ]);
});

test.each([
  ["sent", null],
  ["kept", null],
  ["failed", "550 No such mailbox"],
  ["unknown", "The connection was lost."],
] as const)(
  "an invitation whose mail is %s is listed so, and stays so when it is revoked",
  async (status, error) => {
    const staff = await someStaff();
    const one = await dataOf<Invitation>(inviteAs(staff, someEmail()));
    const other = await dataOf<Invitation>(inviteAs(staff, someEmail()));
    await db.update(mails).set({ status, error }).where(eq(mails.recipient, one.email));
    const list = await dataOf<{ data: Invitation[] }>(
      call(invitationsRoute.GET, "/team/invitations", { headers: as(staff) }),
    );
    const shown = ({ _id, mail_status, mail_error }: Invitation) => [_id, mail_status, mail_error];
    expect(list.data.map(shown)).toEqual([
      [other._id, "queued", null],
      [one._id, status, error],
    ]);
    const revoked = await dataOf<Invitation>(
      call(invitationRoute.DELETE, `/team/invitations/${one._id}`, {
        method: "DELETE",
        headers: as(staff),
        params: { invitation_id: one._id },
      }),
    );
    expect(shown(revoked)).toEqual([one._id, status, error]);
  },
);

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
  "пример.рф/сейчас",
  "उदाहरण.भारत/अब",
  "Ana\nCosta",
])("%j is no name", (name) => {
  expect(PersonName.safeParse(name).success).toBe(false);
  expect(BusinessName.safeParse(name).success).toBe(false);
});

test("names with dots are names; a domain alone is one of a business only", () => {
  for (const name of ["Dr. Ana Costa", "A. B. Costa", "O'Brien & Sons", "Иванов И.И."]) {
    expect(PersonName.safeParse(name).success, name).toBe(true);
    expect(BusinessName.safeParse(name).success, name).toBe(true);
  }
  expect(BusinessName.safeParse("Booking.com").success).toBe(true);
  for (const name of ["evil.com", "Verify at пример.рф", "उदाहरण.भारत", "例子.中国"])
    expect(PersonName.safeParse(name).success, name).toBe(false);
});
