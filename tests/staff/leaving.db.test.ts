import { expect, test } from "vitest";
import * as keysRoute from "@/app/api/api-keys/route";
import * as acceptRoute from "@/app/api/invitations/accept/route";
import * as packagesRoute from "@/app/api/packages/route";
import * as invitationsRoute from "@/app/api/team/invitations/route";
import * as invitationRoute from "@/app/api/team/invitations/[invitation_id]/route";
import * as linkRoute from "@/app/api/team/invitations/[invitation_id]/link/route";
import * as memberRoute from "@/app/api/team/members/[member_id]/route";
import * as memberKeysRoute from "@/app/api/team/members/[member_id]/api-keys/route";
import type { Mode, Role } from "@/lib/contract/values";
import { addMember } from "@/lib/domain/users/create";
import { dataOf, mailedToken } from "./office";
import { as, call, password, someEmail, somePerson, someStaff } from "./person";

type Staff = Awaited<ReturnType<typeof someStaff>>;

const invite = (by: Staff, email: string, role: Role = "staff") =>
  call(invitationsRoute.POST, "/team/invitations", {
    method: "POST",
    headers: as(by),
    body: { email, role },
  });
const accept = (token: string) =>
  call(acceptRoute.POST, "/invitations/accept", {
    method: "POST",
    body: { token, name: "New Comer", password },
  });
const onInvitation = (by: Staff, id: string, what: "revoke" | "link") =>
  call(
    what === "revoke" ? invitationRoute.DELETE : linkRoute.POST,
    `/team/invitations/${id}${what === "link" ? "/link" : ""}`,
    {
      method: what === "revoke" ? "DELETE" : "POST",
      headers: as(by),
      params: { invitation_id: id },
    },
  );
const remove = (by: Staff, { userId }: Staff, query = "") =>
  call(memberRoute.DELETE, `/team/members/${userId}${query}`, {
    method: "DELETE",
    headers: as(by),
    params: { member_id: userId },
  });
const change = (by: Staff, { userId }: Staff, role: Role) =>
  call(memberRoute.PUT, `/team/members/${userId}`, {
    method: "PUT",
    headers: as(by),
    body: { role },
    params: { member_id: userId },
  });
const keysOf = (by: Staff, { userId }: Staff) =>
  dataOf<{ name: string; mode: Mode }[]>(
    call(memberKeysRoute.GET, `/team/members/${userId}/api-keys`, {
      headers: as(by),
      params: { member_id: userId },
    }),
  );
async function newKey(by: Staff, mode: Mode): Promise<string> {
  const made = call(keysRoute.POST, "/api-keys", {
    method: "POST",
    headers: as(by, mode),
    body: { name: `Key for ${mode}` },
  });
  return (await dataOf<{ key: string }>(made)).key;
}
const use = async (key: string) =>
  (await call(packagesRoute.GET, "/packages", { headers: { authorization: `Bearer ${key}` } }))
    .status;

async function joined(staff: Staff, role: Role): Promise<Staff> {
  const person = await somePerson();
  await addMember(staff.businessId, person.userId, role);
  return { ...person, businessId: staff.businessId };
}

test.each([
  ["removed", (owner: Staff, admin: Staff) => remove(owner, admin)],
  ["made less", (owner: Staff, admin: Staff) => change(owner, admin, "staff")],
])("a member who is %s takes their pending invitations along, and no others", async (_, act) => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  const [theirs, ours] = [someEmail(), someEmail()];
  await dataOf(invite(admin, theirs, "admin"));
  const { _id } = await dataOf<{ _id: string }>(invite(admin, someEmail()));
  const { url } = await dataOf<{ url: string }>(onInvitation(admin, _id, "link"));
  await dataOf(invite(owner, ours));
  await dataOf(act(owner, admin));
  expect((await accept(await mailedToken(theirs, "account_invitation"))).status).toBe(404);
  expect((await accept(url.split("#")[1] ?? "")).status).toBe(404);
  expect((await accept(await mailedToken(ours, "account_invitation"))).status).toBe(200);
});

test("a member who is made more keeps their invitations", async () => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  const email = someEmail();
  await dataOf(invite(admin, email));
  await dataOf(change(owner, admin, "owner"));
  expect((await accept(await mailedToken(email, "account_invitation"))).status).toBe(200);
});

test("the keys that a member made are listed in both modes, and end with the membership when asked", async () => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  const keys = [await newKey(admin, "test"), await newKey(admin, "live")];
  const kept = await newKey(owner, "test");
  expect((await keysOf(owner, admin)).map(({ mode }) => mode).sort()).toEqual(["live", "test"]);
  await dataOf(remove(owner, admin, "?revoke_api_keys=true"));
  for (const key of keys) expect(await use(key)).toBe(401);
  expect(await use(kept)).toBe(200);
});

test("keys outlive their member unless they are revoked", async () => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  const key = await newKey(admin, "test");
  await dataOf(remove(owner, admin));
  expect(await use(key)).toBe(200);
});

test("the keys of another business's member are not found", async () => {
  const [owner, other] = [await someStaff(), await someStaff()];
  await newKey(other, "test");
  await expect(keysOf(owner, other)).rejects.toThrow("404");
});

test("an admin neither revokes, replaces nor copies an owner's invitation", async () => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  const email = someEmail();
  const { _id } = await dataOf<{ _id: string }>(invite(owner, email, "owner"));
  expect((await onInvitation(admin, _id, "revoke")).status).toBe(403);
  expect((await onInvitation(admin, _id, "link")).status).toBe(403);
  expect((await invite(admin, email, "viewer")).status).toBe(403);
  expect((await accept(await mailedToken(email, "account_invitation"))).status).toBe(200);
});

test("an owner revokes an owner's invitation, and an admin a staff one", async () => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  const first = await dataOf<{ _id: string }>(invite(owner, someEmail(), "owner"));
  const second = await dataOf<{ _id: string }>(invite(owner, someEmail(), "staff"));
  expect((await onInvitation(owner, first._id, "revoke")).status).toBe(200);
  expect((await onInvitation(admin, second._id, "revoke")).status).toBe(200);
});
