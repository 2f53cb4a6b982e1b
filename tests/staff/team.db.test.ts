import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import * as acceptRoute from "@/app/api/invitations/accept/route";
import * as lookUpRoute from "@/app/api/invitations/look-up/route";
import * as meRoute from "@/app/api/me/route";
import * as invitationsRoute from "@/app/api/team/invitations/route";
import * as invitationRoute from "@/app/api/team/invitations/[invitation_id]/route";
import * as membersRoute from "@/app/api/team/members/route";
import * as memberRoute from "@/app/api/team/members/[member_id]/route";
import { db } from "@/db/client";
import { invitations } from "@/db/schema/team";
import type { Member } from "@/lib/contract/team";
import { addMember } from "@/lib/domain/users/create";
import { dataOf, mailedToken } from "./office";
import { as, call, cookiesOf, password, someEmail, somePerson, someStaff } from "./person";

type Staff = Awaited<ReturnType<typeof someStaff>>;

const invite = (staff: Staff, email: string, role = "staff") =>
  call(invitationsRoute.POST, "/team/invitations", {
    method: "POST",
    headers: as(staff),
    body: { email, role },
  });
const accept = (body: unknown, cookie?: string) =>
  call(acceptRoute.POST, "/invitations/accept", {
    method: "POST",
    body,
    headers: cookie ? { cookie } : {},
  });
const change = (staff: Staff, userId: string, role: string) =>
  call(memberRoute.PUT, `/team/members/${userId}`, {
    method: "PUT",
    headers: as(staff),
    body: { role },
    params: { member_id: userId },
  });
const remove = (staff: Staff, userId: string) =>
  call(memberRoute.DELETE, `/team/members/${userId}`, {
    method: "DELETE",
    headers: as(staff),
    params: { member_id: userId },
  });
const members = async (staff: Staff) =>
  (
    await dataOf<{ data: Member[] }>(
      call(membersRoute.GET, "/team/members", { headers: as(staff) }),
    )
  ).data;

async function joined(staff: Staff, role: "owner" | "admin" | "staff" | "viewer"): Promise<Staff> {
  const person = await somePerson();
  await addMember(staff.businessId, person.userId, role);
  return { ...person, businessId: staff.businessId };
}

test("an invitation makes a new person a member, signed in and with a confirmed address, once", async () => {
  const owner = await someStaff();
  const email = someEmail();
  await dataOf(invite(owner, email.toUpperCase()));
  const token = await mailedToken(email, "account_invitation");
  expect(
    await dataOf(
      call(lookUpRoute.POST, "/invitations/look-up", { method: "POST", body: { token } }),
    ),
  ).toMatchObject({
    email,
    role: "staff",
    business_name: "Some Shop",
    known: false,
  });
  const answer = await accept({ token, name: "New Comer", password });
  expect(answer.status).toBe(200);
  const me = await dataOf(call(meRoute.GET, "/me", { headers: { cookie: cookiesOf(answer) } }));
  expect(me).toMatchObject({
    user: { email, email_verified: true },
    businesses: [{ business_id: owner.businessId, role: "staff" }],
  });
  expect((await accept({ token, name: "New Comer", password })).status).toBe(404);
  expect(
    (await call(lookUpRoute.POST, "/invitations/look-up", { method: "POST", body: { token } }))
      .status,
  ).toBe(404);
});

test("two who accept the same invitation at once make one member", async () => {
  const owner = await someStaff();
  const email = someEmail();
  await dataOf(invite(owner, email));
  const token = await mailedToken(email, "account_invitation");
  const answers = await Promise.all(
    [1, 2, 3].map(() => accept({ token, name: "New Comer", password })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  expect(await members(owner)).toHaveLength(2);
});

test("a known person joins only when signed in as the invited address", async () => {
  const owner = await someStaff();
  const person = await somePerson();
  const other = await somePerson();
  await dataOf(invite(owner, person.email, "viewer"));
  const token = await mailedToken(person.email, "account_invitation");
  expect((await accept({ token, name: "X", password })).status).toBe(401);
  expect((await accept({ token }, other.cookie)).status).toBe(401);
  expect((await accept({ token }, person.cookie)).status).toBe(200);
  expect((await members(owner)).map(({ role }) => role).sort()).toEqual(["owner", "viewer"]);
});

test("a new person needs a name and a password, and the invitation stays good when they are missing", async () => {
  const owner = await someStaff();
  const email = someEmail();
  await dataOf(invite(owner, email));
  const token = await mailedToken(email, "account_invitation");
  const answer = await accept({ token });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({
    errors: {
      name: ["The name field is required."],
      password: ["The password field is required."],
    },
  });
  for (const password of ["short", "password1234", "some-shop-2026"])
    expect((await accept({ token, name: "New Comer", password })).status).toBe(422);
  expect((await accept({ token, name: "New Comer", password })).status).toBe(200);
});

test("an invitation that is taken back, replaced or a week old opens nothing", async () => {
  const owner = await someStaff();
  const email = someEmail();
  await dataOf(invite(owner, email));
  const replaced = await mailedToken(email, "account_invitation");
  const second = await dataOf<{ _id: string }>(invite(owner, email, "admin"));
  expect((await accept({ token: replaced, name: "A", password })).status).toBe(404);
  const token = await mailedToken(email, "account_invitation");
  const params = { invitation_id: second._id };
  await dataOf(
    call(invitationRoute.DELETE, `/team/invitations/${second._id}`, {
      method: "DELETE",
      headers: as(owner),
      params,
    }),
  );
  expect((await accept({ token, name: "A", password })).status).toBe(404);
  const third = await dataOf<{ _id: string }>(invite(owner, email));
  await db
    .update(invitations)
    .set({ expiresAt: "2026-01-01T00:00:00.000000Z" })
    .where(eq(invitations.id, third._id));
  expect(
    (await accept({ token: await mailedToken(email, "account_invitation"), name: "A", password }))
      .status,
  ).toBe(404);
});

test("the token of an invitation is in no answer and kept as a digest only", async () => {
  const owner = await someStaff();
  const email = someEmail();
  const answer = await invite(owner, email);
  const token = await mailedToken(email, "account_invitation");
  expect(await answer.text()).not.toContain(token);
  const rows = await db.select().from(invitations).where(eq(invitations.email, email));
  expect(JSON.stringify(rows)).not.toContain(token);
});

test("a member is not invited again", async () => {
  const owner = await someStaff();
  expect((await invite(owner, owner.email)).status).toBe(409);
});

test("the last owner cannot be demoted or removed, also not by two owners at once", async () => {
  const owner = await someStaff();
  expect((await change(owner, owner.userId, "admin")).status).toBe(409);
  expect((await remove(owner, owner.userId)).status).toBe(409);
  const second = await joined(owner, "owner");
  const answers = await Promise.all([remove(owner, second.userId), remove(second, owner.userId)]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await members(answers[0]?.status === 200 ? owner : second)).toMatchObject([
    { role: "owner" },
  ]);
});

test("an admin cannot make, change, remove or invite an owner", async () => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  const viewer = await joined(owner, "viewer");
  expect((await change(admin, viewer.userId, "owner")).status).toBe(403);
  expect((await change(admin, owner.userId, "viewer")).status).toBe(403);
  expect((await remove(admin, owner.userId)).status).toBe(403);
  expect((await invite(admin, someEmail(), "owner")).status).toBe(403);
  expect((await change(admin, viewer.userId, "admin")).status).toBe(200);
});

test("a removed member and one whose role was taken are refused at the next call", async () => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  await dataOf(change(owner, admin.userId, "viewer"));
  expect((await invite(admin, someEmail())).status).toBe(403);
  await dataOf(remove(owner, admin.userId));
  expect((await call(membersRoute.GET, "/team/members", { headers: as(admin) })).status).toBe(403);
});

test("another business's member is not found", async () => {
  const owner = await someStaff();
  const other = await someStaff();
  expect((await change(owner, other.userId, "viewer")).status).toBe(404);
  expect((await remove(owner, other.userId)).status).toBe(404);
  expect((await change(owner, "nobody", "viewer")).status).toBe(404);
});

test("one person may belong to several businesses, each with a role of its own", async () => {
  const first = await someStaff();
  const second = await someStaff();
  await addMember(second.businessId, first.userId, "viewer");
  const there = { ...first, businessId: second.businessId };
  expect((await invite(first, someEmail())).status).toBe(200);
  expect((await invite(there, someEmail())).status).toBe(403);
  const me = await dataOf<{ businesses: unknown[] }>(
    call(meRoute.GET, "/me", { headers: { cookie: first.cookie } }),
  );
  expect(me.businesses).toHaveLength(2);
});
