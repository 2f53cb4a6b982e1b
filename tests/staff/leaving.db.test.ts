import { eq } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import * as keysRoute from "@/app/api/api-keys/route";
import * as acceptRoute from "@/app/api/invitations/accept/route";
import * as invitationsRoute from "@/app/api/team/invitations/route";
import * as invitationRoute from "@/app/api/team/invitations/[invitation_id]/route";
import * as linkRoute from "@/app/api/team/invitations/[invitation_id]/link/route";
import * as memberRoute from "@/app/api/team/members/[member_id]/route";
import { db, pool } from "@/db/client";
import { apiKeys } from "@/db/schema/businesses";
import { sessions } from "@/db/schema/auth";
import { invitations } from "@/db/schema/team";
import type { Mode, Role } from "@/lib/contract/values";
import { take } from "@/lib/domain/limits/limits";
import { addMember } from "@/lib/domain/users/create";
import { digest } from "@/lib/kernel/secrets";
import { api } from "../contract/setting";
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
async function copied(by: Staff, id: string): Promise<string> {
  const { url } = await dataOf<{ url: string }>(onInvitation(by, id, "link"));
  return url.split("#")[1] ?? "";
}
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
async function newKey(by: Staff, mode: Mode): Promise<string> {
  const made = call(keysRoute.POST, "/api-keys", {
    method: "POST",
    headers: as(by, mode),
    body: { name: `Key for ${mode}` },
  });
  return (await dataOf<{ key: string }>(made)).key;
}
async function joined(staff: Staff, role: Role): Promise<Staff> {
  const person = await somePerson();
  await addMember(staff.businessId, person.userId, role);
  return { ...person, businessId: staff.businessId };
}

const leavings: [string, (owner: Staff, admin: Staff) => Promise<Response>][] = [
  ["removed", remove],
  ["made less", (owner, admin) => change(owner, admin, "staff")],
];

test.each(leavings)(
  "a member who is %s takes their pending invitations along, and no others",
  async (_, act) => {
    const owner = await someStaff();
    const admin = await joined(owner, "admin");
    const [theirs, ours] = [someEmail(), someEmail()];
    await dataOf(invite(admin, theirs, "admin"));
    const { _id } = await dataOf<{ _id: string }>(invite(admin, someEmail()));
    const link = await copied(admin, _id);
    await dataOf(invite(owner, ours));
    await dataOf(act(owner, admin));
    expect((await accept(await mailedToken(theirs, "account_invitation"))).status).toBe(404);
    expect((await accept(link)).status).toBe(404);
    expect((await accept(await mailedToken(ours, "account_invitation"))).status).toBe(200);
  },
);

test.each(leavings)(
  "a link that a member copied ends when they are %s, and its mail and a new link go on",
  async (_, act) => {
    const owner = await someStaff();
    const admin = await joined(owner, "admin");
    const [first, second] = [someEmail(), someEmail()];
    const [one, other] = [
      await dataOf<{ _id: string }>(invite(owner, first, "admin")),
      await dataOf<{ _id: string }>(invite(owner, second)),
    ];
    const links = [await copied(admin, one._id), await copied(admin, other._id)];
    expect(await copied(owner, one._id)).toBe(links[0]);
    await dataOf(act(owner, admin));
    for (const link of links) expect((await accept(link)).status).toBe(404);
    const again = await copied(owner, other._id);
    expect(again).not.toBe(links[1]);
    for (const link of links) expect((await accept(link)).status).toBe(404);
    expect((await accept(again)).status).toBe(200);
    expect((await accept(await mailedToken(first, "account_invitation"))).status).toBe(200);
  },
);

test("a copied link outlives those who could not copy it: an admin where it makes an owner, and staff", async () => {
  const owner = await someStaff();
  const [admin, staff] = [await joined(owner, "admin"), await joined(owner, "staff")];
  const [one, other] = [
    await dataOf<{ _id: string }>(invite(owner, someEmail(), "owner")),
    await dataOf<{ _id: string }>(invite(owner, someEmail(), "viewer")),
  ];
  const forOwner = await copied(owner, one._id);
  await dataOf(remove(owner, admin));
  const forViewer = await copied(owner, other._id);
  await dataOf(remove(owner, staff));
  expect((await accept(forOwner)).status).toBe(200);
  expect((await accept(forViewer)).status).toBe(200);
});

/** How many connections to this database wait for a lock. */
const waiting = async () =>
  (
    await pool("long").query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).rowCount ?? 0;
const soon = { timeout: 30_000, interval: 20 };

test.each(leavings)(
  "an invitation that is being made while its maker is %s ends too",
  async (_, act) => {
    const owner = await someStaff();
    const admin = await joined(owner, "admin");
    const email = someEmail();
    const limit = ["account_mail_business", String(owner.businessId)] as const;
    await take(...limit);
    const other = await pool().connect();
    const calls: Promise<Response>[] = [];
    try {
      await other.query("begin");
      await other.query("select from rate_limits where key = $1 for update", [
        digest(limit.join(":")),
      ]);
      calls.push(invite(admin, email, "admin"));
      await expect.poll(waiting, soon).toBe(1);
      let isOver = false;
      calls.push(act(owner, admin).finally(() => (isOver = true)));
      await expect.poll(async () => isOver || (await waiting()) === 2, soon).toBe(true);
      await other.query("commit");
    } finally {
      other.release();
    }
    for (const call of calls) await dataOf(call);
    expect((await accept(await mailedToken(email, "account_invitation"))).status).toBe(404);
  },
);

test("an address that accepts an invitation while another one is written for it is a member already", async () => {
  const owner = await someStaff();
  const email = someEmail();
  await dataOf(invite(owner, email));
  const token = await mailedToken(email, "account_invitation");
  const other = await pool().connect();
  const calls: Promise<Response>[] = [];
  try {
    await other.query("begin");
    await other.query("select from audit_heads where business_id = $1 for update", [
      owner.businessId,
    ]);
    calls.push(accept(token));
    await expect.poll(waiting, soon).toBe(1);
    calls.push(invite(owner, email));
    await expect.poll(waiting, soon).toBe(2);
    await other.query("commit");
  } finally {
    other.release();
  }
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 409]);
});

test("a member who is removed is not let back in by an invitation to their address", async () => {
  const owner = await someStaff();
  const person = await somePerson();
  await dataOf(invite(owner, person.email));
  await addMember(owner.businessId, person.userId, "staff");
  await dataOf(remove(owner, { ...person, businessId: owner.businessId }));
  expect((await accept(await mailedToken(person.email, "account_invitation"))).status).toBe(404);
});

test("a member who is made more keeps their invitations", async () => {
  const owner = await someStaff();
  const admin = await joined(owner, "admin");
  const email = someEmail();
  await dataOf(invite(admin, email));
  await dataOf(change(owner, admin, "owner"));
  expect((await accept(await mailedToken(email, "account_invitation"))).status).toBe(200);
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

/** A body that is sent in two halves: the second one when `finish` is called. `arriving` resolves once the first half was read. */
function heldBody(value: unknown) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const [arriving, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const raw = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.slice(0, 8)),
    pull: async (controller) => {
      arriving.resolve();
      await rest.promise;
      controller.enqueue(bytes.slice(8));
      controller.close();
    },
  });
  return { raw, arriving: arriving.promise, finish: () => rest.resolve() };
}

describe("a call with a body that is held back", () => {
  const ways: [string, number, (owner: Staff, admin: Staff) => Promise<unknown>][] = [
    ["is removed", 403, (owner, admin) => dataOf(remove(owner, admin))],
    ["is made less", 403, (owner, admin) => dataOf(change(owner, admin, "viewer"))],
    [
      "is signed out",
      401,
      (_, { userId }) => db.delete(sessions).where(eq(sessions.userId, userId)),
    ],
  ];

  test.each(ways)("changes nothing once its sender %s", async (_, status, leave) => {
    const owner = await someStaff();
    const [admin, viewer] = [await joined(owner, "admin"), await joined(owner, "viewer")];
    const calls: [string, string, unknown][] = [
      ["POST", "/api-keys", { name: "Kept for later" }],
      ["POST", "/team/invitations", { email: someEmail(), role: "admin" }],
      ["PUT", `/team/members/${viewer.userId}`, { role: "admin" }],
    ];
    const headers = { ...as(admin, "live"), origin: "http://localhost:3000" };
    const held = calls.map(([method, path, value]) => {
      const { raw, ...body } = heldBody(value);
      return { ...body, answer: api(method, path, { headers, raw }) };
    });
    await Promise.all(held.map(({ arriving }) => arriving));
    await leave(owner, admin);
    for (const { finish } of held) finish();
    for (const { answer } of held) expect((await answer).status).toBe(status);
    const { businessId } = owner;
    expect(await db.$count(apiKeys, eq(apiKeys.businessId, businessId))).toBe(0);
    expect(await db.$count(invitations, eq(invitations.businessId, businessId))).toBe(0);
    expect((await call(keysRoute.GET, "/api-keys", { headers: as(viewer) })).status).toBe(403);
  });

  test("changes nothing once its API key is revoked", async () => {
    const owner = await someStaff();
    const admin = await joined(owner, "admin");
    const key = await newKey(admin, "test");
    const { raw, arriving, finish } = heldBody({ name: "Tea", currency: "MYR" });
    const answer = api("POST", "/packages", { key, raw });
    await arriving;
    await dataOf(remove(owner, admin, "?revoke_api_keys=true"));
    // A key that was found is not looked for again for half a second.
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 1_000);
    finish();
    expect((await answer).status).toBe(401);
    later.mockRestore();
  });

  test("goes on as usual for those who may still make it", async () => {
    const owner = await someStaff();
    const headers = { ...as(owner, "live"), origin: "http://localhost:3000" };
    const { raw, arriving, finish } = heldBody({ name: "Web shop" });
    const answer = api("POST", "/api-keys", { headers, raw });
    await arriving;
    finish();
    expect((await answer).status).toBe(200);
  });
});
