import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import * as keysRoute from "@/app/api/api-keys/route";
import * as auditRoute from "@/app/api/audit-log/route";
import * as businessRoute from "@/app/api/business/route";
import * as linksRoute from "@/app/api/payment-links/route";
import * as memberRoute from "@/app/api/team/members/[member_id]/route";
import { db, withTransaction } from "@/db/client";
import type { AuditEntry } from "@/lib/contract/business";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { addMember } from "@/lib/domain/users/create";
import { signInRoute } from "@/lib/http/sign-in";
import { dataOf } from "./office";
import { as, call, cookiesOf, password, signIn, somePerson, someStaff } from "./person";

type Staff = Awaited<ReturnType<typeof someStaff>>;
const log = async (staff: Staff) =>
  (
    await dataOf<{ data: AuditEntry[] }>(
      call(auditRoute.GET, "/audit-log?per_page=100", { headers: as(staff) }),
    )
  ).data;
const makeKey = (staff: Staff, name = "Web shop") =>
  call(keysRoute.POST, "/api-keys", { method: "POST", headers: as(staff), body: { name } });
const faultOf = async (staff: Staff) =>
  (await verifyAudit()).find(({ businessId }) => businessId === staff.businessId)?.fault;

/** What anyone with the database's password could do: disable the append-only trigger. */
const tamper = (statement: ReturnType<typeof sql>) =>
  withTransaction(async (tx) => {
    await tx.execute(sql`alter table audit_entries disable trigger audit_entries_append_only`);
    await tx.execute(statement);
    await tx.execute(sql`alter table audit_entries enable trigger audit_entries_append_only`);
  });

test("every change by staff is in the log, with who, what and from where; reads and refused calls are not", async () => {
  const staff = await someStaff();
  const key = await dataOf<{ _id: string }>(makeKey(staff));
  const link = await dataOf<{ _id: string }>(
    call(linksRoute.POST, "/payment-links", {
      method: "POST",
      headers: as(staff),
      body: {
        title: "Invoice",
        amount: 1250,
        currency: "MYR",
        email: "payer@example.com",
        phone_no: "+60123456789",
        send_email: false,
      },
    }),
  );
  const person = await somePerson();
  await addMember(staff.businessId, person.userId, "viewer");
  const params = { member_id: person.userId };
  await dataOf(
    call(memberRoute.PUT, `/team/members/${person.userId}`, {
      method: "PUT",
      headers: as(staff),
      body: { role: "staff" },
      params,
    }),
  );
  expect(
    (await call(businessRoute.PUT, "/business", { method: "PUT", headers: as(staff), body: {} }))
      .status,
  ).toBe(422);
  const entries = await log(staff);
  expect(entries.map(({ action, object_id }) => [action, object_id])).toEqual([
    ["changeMember", person.userId],
    ["createPaymentLink", link._id],
    ["createApiKey", key._id],
  ]);
  expect(entries[0]).toMatchObject({
    actor: { kind: "person", id: staff.userId, email: staff.email },
    details: { role: { before: "viewer", after: "staff" } },
    mode: "test",
  });
  expect(entries[0]?.address).toMatch(/^10\./);
  expect(JSON.stringify(entries)).not.toContain("payer@example.com");
});

test("a sign-in is in the log of every business it opens", async () => {
  const staff = await someStaff();
  const other = await someStaff();
  await addMember(other.businessId, staff.userId, "viewer");
  await signIn(staff.email);
  for (const one of [staff, { ...other }])
    expect((await log(one)).map(({ action, actor }) => [action, actor.id])).toContainEqual([
      "signed_in",
      staff.userId,
    ]);
});

test("a changed password and another second factor are in the log, and so is a wrong password", async () => {
  const staff = await someStaff();
  const post = (path: string, body: unknown) =>
    call(signInRoute, `/auth${path}`, { method: "POST", headers: { cookie: staff.cookie }, body });
  expect(
    (
      await post("/change-password", {
        currentPassword: "wrong horse battery",
        newPassword: "another horse battery",
      })
    ).status,
  ).toBe(400);
  const changed = await post("/change-password", {
    currentPassword: password,
    newPassword: "another horse battery",
  });
  expect(changed.status).toBe(200);
  staff.cookie = cookiesOf(changed, staff.cookie);
  expect((await post("/two-factor/enable", { password: "another horse battery" })).status).toBe(
    200,
  );
  const entries = (await log(staff)).filter(({ action }) => action !== "signed_in");
  expect(entries.map(({ action, address }) => [action, address?.slice(0, 3)])).toEqual([
    ["two_factor_begun", "10."],
    ["password_changed", "10."],
    ["reauthentication_failed", "10."],
  ]);
});

test("a key's call leaves no entry", async () => {
  const staff = await someStaff();
  const { key } = await dataOf<{ key: string }>(makeKey(staff));
  const before = (await log(staff)).length;
  const body = {
    title: "Invoice",
    amount: 1250,
    currency: "MYR",
    email: "payer@example.com",
    phone_no: "+60123456789",
    send_email: false,
  };
  await dataOf(
    call(linksRoute.POST, "/payment-links", {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body,
    }),
  );
  expect(await log(staff)).toHaveLength(before);
});

test("changes side by side make one unbroken chain", async () => {
  const staff = await someStaff();
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => dataOf(makeKey(staff, `Key ${index}`))),
  );
  expect(await log(staff)).toHaveLength(12);
  expect(await faultOf(staff)).toBeNull();
});

test("the database refuses to change or delete an entry", async () => {
  const staff = await someStaff();
  await dataOf(makeKey(staff));
  const refused = { cause: { message: "audit_entries is append-only" } };
  await expect(
    db.execute(
      sql`update audit_entries set action = 'nothing' where business_id = ${staff.businessId}`,
    ),
  ).rejects.toMatchObject(refused);
  await expect(
    db.execute(sql`delete from audit_entries where business_id = ${staff.businessId}`),
  ).rejects.toMatchObject(refused);
});

test.each([
  ["an edited entry", sql`update audit_entries set details = '{}' where seq = 2`, "entry 2 "],
  [
    "an entry with another person",
    sql`update audit_entries set actor_id = 'somebody' where seq = 1`,
    "entry 1 ",
  ],
  ["an entry taken out", sql`delete from audit_entries where seq = 2`, "entry 2 is gone"],
  [
    "the newest entry cut off",
    sql`delete from audit_entries where seq = 3`,
    "the newest entries, 3 to 3, are gone",
  ],
  [
    "all entries gone",
    sql`delete from audit_entries where seq > 0`,
    "the newest entries, 1 to 3, are gone",
  ],
] as const)("the check finds %s", async (_, change, fault) => {
  const staff = await someStaff();
  for (const name of ["A", "B", "C"]) await dataOf(makeKey(staff, name));
  expect(await faultOf(staff)).toBeNull();
  await tamper(sql`${change} and business_id = ${staff.businessId}`);
  expect(await faultOf(staff)).toContain(fault);
});

/** The head of a business's log as it was, to be put back after entries were taken away. */
const headAt = (staff: Staff, seq: number) =>
  sql`update audit_heads set seq = ${seq}, hash = (select hash from audit_entries where business_id = ${staff.businessId} and seq = ${seq}) where business_id = ${staff.businessId}`;

async function withThree(): Promise<Staff> {
  const staff = await someStaff();
  for (const name of ["A", "B", "C"]) await dataOf(makeKey(staff, name));
  expect(await faultOf(staff)).toBeNull();
  return staff;
}

test("the check finds a newest entry that was cut off together with its note", async () => {
  const staff = await withThree();
  await tamper(sql`delete from audit_entries where business_id = ${staff.businessId} and seq = 3`);
  await db.execute(headAt(staff, 2));
  expect(await faultOf(staff)).toContain("the newest entries, 3 to 3, are gone");
  for (const [seal, fault] of [
    [sql`regexp_replace(seal, '^3:', '2:')`, "the seal of entry 2 was changed"],
    ["none", "the seal of its newest entry was changed"],
  ] as const) {
    await db.execute(
      sql`update audit_heads set seal = ${seal} where business_id = ${staff.businessId}`,
    );
    expect(await faultOf(staff)).toBe(fault);
  }
});

test("the check finds a log that was removed whole, and a business that never had one", async () => {
  const staff = await withThree();
  const { businessId } = staff;
  await tamper(sql`delete from audit_entries where business_id = ${businessId}`);
  await db.execute(sql`delete from audit_heads where business_id = ${businessId}`);
  expect(await faultOf(staff)).toContain("the whole log");
});

test("a newest entry of a version without seals holds, is said to be without, and the next one seals it", async () => {
  const staff = await withThree();
  const { businessId } = staff;
  const verdict = async () =>
    (await verifyAudit()).find((one) => one.businessId === staff.businessId);
  expect(await verdict()).toMatchObject({ entries: 3, isSealed: true });
  const before = await db.execute<{ seal: string }>(
    sql`select seal from audit_heads where business_id = ${businessId}`,
  );
  await dataOf(makeKey(staff, "D"));
  for (const seal of [before.rows[0]?.seal ?? "", null]) {
    await db.execute(sql`update audit_heads set seal = ${seal} where business_id = ${businessId}`);
    expect(await verdict()).toMatchObject({ entries: 4, isSealed: false, fault: null });
  }
  await dataOf(makeKey(staff, "E"));
  expect(await verdict()).toMatchObject({ entries: 5, isSealed: true, fault: null });
});

test("one or two characters find beginnings of words, as in every list", async () => {
  const staff = await someStaff();
  await dataOf(makeKey(staff));
  const found = async (q: string) => {
    const path = `/audit-log?q=${q}`;
    const page = dataOf<{ data: AuditEntry[] }>(call(auditRoute.GET, path, { headers: as(staff) }));
    return (await page).data.map(({ action }) => action);
  };
  expect(await found("cr")).toEqual(["createApiKey"]);
  expect(await found("ik")).toEqual([]);
});
