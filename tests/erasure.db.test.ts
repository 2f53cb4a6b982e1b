import { eq, sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { GET as payPage } from "@/app/(payer)/pay/route";
import { closePool, db, withTransaction } from "@/db/client";
import { events } from "@/db/schema/events";
import type { Erasure, ErasurePreview } from "@/lib/contract/payers";
import { record } from "@/lib/domain/audit/record";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { eventsAbout } from "@/lib/domain/events/rows";
import { unscopedBusinessesOf } from "@/lib/domain/payers/erasure-rows";
import { openEvents } from "@/lib/domain/payers/rows";
import { ERASED_EMAIL, ERASED_TEXT } from "@/lib/domain/payers/rules";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { find as findToken } from "@/lib/domain/tokenizations/rows";
import { erasePayer, previewErasure } from "@/lib/flows/erasure/steps";
import { create as requestRefund } from "@/lib/flows/refund/steps";
import { script } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import {
  data,
  keyCall,
  link,
  mailed,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./dashboard/setting";
import { columnsWith, unnamed } from "./erasure-setting";
import { furnished, payer, savedMethod, wordOf } from "./furnished-payer";

afterAll(closePool);

const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof Problem ? error.status : Promise.reject(error)),
  );

/** Every event and every mail of a business in test mode, opened as for its readers. */
async function readByStaff(office: Office): Promise<string[]> {
  const { businessId } = office;
  const rows = await db
    .select({ businessId: events.businessId, data: events.data, previous: events.previous })
    .from(events)
    .where(eq(events.businessId, businessId));
  const read = (await openEvents(rows)).map((row) => JSON.stringify(row));
  const { rows: mails } = await db.execute<{ id: string }>(
    sql`select id from mails where business_id = ${businessId} and mode = 'test'`,
  );
  for (const { id } of mails) read.push((await staffCall(office, "GET", `/mails/${id}`)).text);
  return read;
}

const faultOf = async (businessId: number) =>
  (await verifyAudit()).find((one) => one.businessId === businessId)?.fault;

describe("an erased payer", () => {
  test("is nowhere but in the copies that are named, and the books stay", async () => {
    const [office, other] = [await newOffice(), await newOffice()];
    const [email, neighbour] = [payer(), payer()];
    const its = await furnished(office, email);
    const near = await furnished(office, neighbour);
    const elsewhere = await newLink(other, { email });
    const { ctx } = office.shop;
    const endpointId = data<{ _id: string }>(
      await keyCall(office, "POST", "/webhook-endpoints", { url: "https://hooks.example.com" }),
    )._id;
    const deliveryId = newId();
    await db.execute(sql`
      insert into webhook_deliveries (business_id, mode, id, endpoint_id, event_id, event_type, status, last_error)
      select business_id, mode, ${deliveryId}, ${endpointId}, id, type, 'failed', ${`no such user ${wordOf(email)}`} from events where object_id = ${its.paid} order by seq limit 1`);
    await db.execute(sql`
      insert into webhook_attempts (business_id, delivery_id, number, response, duration_ms, started_at) values (${ctx.businessId}, ${deliveryId}, 1, ${`thanks ${wordOf(email)}`}, 1, now())`);
    await withTransaction((tx) =>
      record(tx, ctx.businessId, { kind: "operator" }, { action: "old", details: { for: email } }),
    );
    const before = unnamed(await columnsWith(email));
    for (const column of [
      "mails_",
      "payment_links.",
      "subscriptions.",
      "tokenizations.",
      "audit_entries.",
      "customers.notes",
      "refunds.",
      "webhook_attempts_",
    ])
      expect(before.join(" ")).toContain(column);
    const books = () =>
      db
        .execute(
          sql`select p.id, p.amount, p.status, p.refunded_amount, (select sum(abs(amount)) from ledger_entries l where l.business_id = p.business_id and l.payment_id = p.id) as booked from payments p where p.business_id = ${ctx.businessId} order by p.id`,
        )
        .then(({ rows }) => rows);
    const booked = await books();

    const preview = data<ErasurePreview>(
      await staffCall(office, "POST", "/payers/erasure-preview", { email: email.toUpperCase() }),
    );
    expect(preview).toMatchObject({
      refusals: [],
      payment_links: { all: 3, cancelled: 1 },
      subscriptions: { all: 1, cancelled: 1 },
      tokenizations: { all: 1, revoked: 1 },
      payments: 3,
      customers: 1,
    });
    expect(preview.remaining.map(({ until }) => until !== null)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const erased = data<Erasure>(
      await staffCall(office, "POST", "/payers/erase", { email: email.toUpperCase() }),
    );
    expect(erased).toMatchObject({ kept_at_gateway: [], mails: 7, events: 25, customers: 1 });

    await db.execute(sql`delete from payment_links where id = ${elsewhere}`);
    await db.execute(sql`delete from directory where key = ${elsewhere}`);
    await db.execute(sql`delete from customers where business_id = ${other.businessId}`);
    expect(unnamed(await columnsWith(email))).toEqual([]);
    expect(await books()).toEqual(booked);
    expect(await unscopedBusinessesOf(neighbour)).toEqual([ctx.businessId]);
    expect(
      (await eventsAbout(ctx, near.paid)).map((one) => one.data.email ?? neighbour),
    ).not.toContain(ERASED_EMAIL);
    expect(await faultOf(ctx.businessId)).toBeNull();

    const { subscriptionId, methodId, open } = its;
    expect(await getSubscription(ctx, subscriptionId)).toMatchObject({
      status: "cancel",
      email: ERASED_EMAIL,
      phone_no: null,
    });
    expect(await findToken(ctx, methodId)).toMatchObject({
      status: "revoked",
      email: ERASED_EMAIL,
      methodId: null,
      last4: null,
    });
    expect(data(await keyCall(office, "GET", `/payment-links/${open}`))).toMatchObject({
      status: "Cancelled",
      email: ERASED_EMAIL,
      description: `Call ${ERASED_EMAIL} first`,
      redirect_url: expect.not.stringContaining("ana"),
    });
    // Every reader goes on, with the marks in place of the fields.
    for (const path of [
      `/payment-links/${its.paid}/timeline`,
      `/subscriptions/${subscriptionId}/timeline`,
      "/mails",
      "/audit-log",
      "/search?q=satay",
      `/webhook-deliveries/${deliveryId}`,
    ])
      expect([path, (await staffCall(office, "GET", path)).status]).toEqual([path, 200]);
    const created = data<{ data: Array<{ data: Record<string, unknown> }> }>(
      await keyCall(office, "GET", "/events?per_page=100&type=payment_link.created"),
    ).data.map((event) => event.data);
    const own = created.filter((one) => one._id === its.paid || one._id === open);
    expect(new Set(own.map((one) => one.email))).toEqual(new Set([ERASED_EMAIL]));
    expect(own.every((one) => one.phone_no === null || one.phone_no === undefined)).toBe(true);
    const { rows: emptied } = await db.execute<{ id: string }>(
      sql`select id from mails where business_id = ${ctx.businessId} and recipient = ${ERASED_EMAIL}`,
    );
    expect(emptied).toHaveLength(5);
    for (const { id } of emptied)
      expect(data(await staffCall(office, "GET", `/mails/${id}`))).toMatchObject({
        text: ERASED_TEXT,
        resendable: false,
      });
    // What the keys of others sealed is open to readers.
    const { theirs, other: ben } = its;
    expect((await eventsAbout(ctx, theirs)).map((one) => one.data.description)).toContain(
      `for ${ERASED_EMAIL}, copy to ${ben}`,
    );
    const read = await readByStaff(office);
    expect(read.length).toBeGreaterThan(30);
    for (const form of [email, encodeURIComponent(email)])
      expect(read.filter((text) => text.toLowerCase().includes(form.toLowerCase()))).toEqual([]);
    expect(read.join("")).toContain(neighbour);
  }, 60_000);

  test("is on no page of a link that was opened before", async () => {
    const office = await newOffice();
    const email = payer();
    const of = { title: `For ${email}`, description: `Call ${email} first`, reference: email };
    const open = await newLink(office, { ...of, email: "ben@example.com" });
    const cancelled = await newLink(office, { ...of, email });
    data(await keyCall(office, "POST", `/payment-links/${cancelled}/cancel`));
    const page = async (id: string) =>
      (await payPage(new Request(`http://localhost:3000/pay?id=${id}&test=true`), {})).text();
    for (const id of [open, cancelled]) expect(await page(id)).toContain(email);
    await erasePayer(office.shop.ctx, email);
    for (const id of [open, cancelled]) {
      expect(await page(id)).not.toContain(email);
      expect(await page(id)).toContain(`For ${ERASED_EMAIL}`);
    }
  });

  test("who comes back has records of their own, which are read", async () => {
    const office = await newOffice();
    const email = payer();
    const { ctx } = office.shop;
    const first = await newLink(office, { email });
    await erasePayer(ctx, email);
    const second = await newLink(office, { email });
    expect((await eventsAbout(ctx, first)).map((one) => one.data.email)).toEqual([
      ERASED_EMAIL,
      ERASED_EMAIL,
    ]);
    expect((await eventsAbout(ctx, second)).map((one) => one.data.email)).toEqual([email]);
  });
});

test("a form that was opened before brings neither the payer back nor a text that named them", async () => {
  const office = await newOffice();
  const email = payer();
  const its = await furnished(office, email);
  const expired = await newLink(office, { email, phone_no: "012 3" });
  await db.execute(
    sql`update payment_links set status = 'Expired', expires_at = now() - interval '1 day' where id = ${expired}`,
  );
  const customers = data<{ data: Array<{ _id: string }> }>(
    await keyCall(office, "GET", `/customers?email=${encodeURIComponent(its.other)}`),
  ).data;
  const paths = [
    ...[its.open, its.theirs, expired].map((id) => `/payment-links/${id}`),
    `/subscriptions/${its.subscriptionId}`,
    `/packages/${its.packageId}`,
    ...customers.map(({ _id }) => `/customers/${_id}`),
  ];
  expect(paths).toHaveLength(6);
  const read = async (path: string) =>
    data<{ version: number; updated_at: string }>(await keyCall(office, "GET", path));
  const opened = await Promise.all(paths.map(read));
  data(await staffCall(office, "POST", "/payers/erase", { email }));
  for (const [at, path] of paths.entries()) {
    // A status is no field of a link. What has expired is active again once it is saved without an expiry.
    const more = { status: undefined, ...(path.endsWith(expired) ? { expires_at: null } : {}) };
    const saved = await keyCall(office, "PUT", path, { ...opened[at], ...more });
    expect([path, saved.status, saved.body.code]).toEqual([path, 409, "stale_version"]);
    expect(saved.body.changed_by).toEqual({ kind: "person", name: "Some Body" });
    expect((await read(path)).updated_at > (opened[at]?.updated_at ?? "")).toBe(true);
  }
  expect(unnamed(await columnsWith(email))).toEqual([]);
});

describe("erasing is refused, and changes nothing,", () => {
  test.each(["submitting", "pending", "unknown", "disputed"])(
    "while a payment is %s",
    async (status) => {
      const office = await newOffice();
      const email = payer();
      const paid = await newLink(office, { email });
      const active = await newLink(office, { email });
      await pay(office, paid);
      await db.execute(sql`update payments set status = ${status} where payment_link_id = ${paid}`);
      expect((await previewErasure(office.shop.ctx, email)).refusals).toMatchObject([
        { object: "payment", status },
      ]);
      expect(await statusOf(erasePayer(office.shop.ctx, email))).toBe(409);
      expect(data(await keyCall(office, "GET", `/payment-links/${active}`))).toMatchObject({
        status: "Active",
        email,
      });
    },
  );

  test("while a payer's bank has not decided about a dispute, and not once it has", async () => {
    const office = await newOffice();
    const email = payer();
    const paid = await newLink(office, { email });
    await pay(office, paid);
    const dispute = (status: string) =>
      db.execute(
        sql`update payments set status = 'disputed', dispute_status = ${status} where payment_link_id = ${paid}`,
      );
    await dispute("open");
    expect(await statusOf(erasePayer(office.shop.ctx, email))).toBe(409);
    await dispute("lost");
    expect((await previewErasure(office.shop.ctx, email)).refusals).toEqual([]);
    await erasePayer(office.shop.ctx, email);
    expect(unnamed(await columnsWith(email))).toEqual([]);
  });

  test.each(["submitting", "pending", "unknown"])("while a refund is %s", async (status) => {
    const office = await newOffice();
    const email = payer();
    const paid = await newLink(office, { email });
    await pay(office, paid);
    const { rows } = await db.execute<{ id: string }>(
      sql`select id from payments where payment_link_id = ${paid}`,
    );
    await requestRefund(office.shop.ctx, rows[0]?.id ?? "", { amount: 500 });
    await db.execute(
      sql`update refunds set status = ${status}, next_check_at = now() + interval '1 day' where payment_id = ${rows[0]?.id}`,
    );
    expect(await statusOf(erasePayer(office.shop.ctx, email))).toBe(409);
    expect(data(await keyCall(office, "GET", `/payment-links/${paid}`))).toMatchObject({ email });
  });

  test("by the database itself when something begins after the look", async () => {
    const office = await newOffice();
    const email = payer();
    await newLink(office, { email });
    const call = sql`select erase_payer(${office.businessId}, ${email}, '{"details": "{}"}'::jsonb, '')`;
    await expect(db.execute(call)).rejects.toMatchObject({ cause: { code: "23001" } });
  });

  test("by people who may not, and without a recent proof", async () => {
    const office = await newOffice();
    expect((await keyCall(office, "POST", "/payers/erase", { email: payer() })).status).toBe(403);
  });
});

test.each([
  ["mails", "payer_keys"],
  ["events", "mails"],
])("a payer whom %s alone still name is found, and erased", async (_, without) => {
  const office = await newOffice();
  const email = payer();
  const { businessId } = office;
  const id = await newLink(office, { email, send_email: true });
  await mailed(id, 1);
  data(await keyCall(office, "PUT", `/payment-links/${id}`, link({ email: payer() })));
  for (const table of [sql`customers`, sql.raw(without)])
    await db.execute(sql`delete from ${table} where business_id = ${businessId}`);
  expect(await unscopedBusinessesOf(email.toUpperCase())).toEqual([businessId]);
  await erasePayer(office.shop.ctx, email);
  expect(await unscopedBusinessesOf(email)).toEqual([]);
});

test("a run that broke off at the gateway is continued by the next one", async () => {
  const office = await newOffice();
  const email = payer();
  const { ctx, account } = office.shop;
  const link = await newLink(office, { email });
  const methodId = await savedMethod(office, email);
  await script(account.connection.id, "forget", "error");
  expect(await statusOf(erasePayer(ctx, email))).toBe(409);
  expect(await findToken(ctx, methodId)).toMatchObject({ status: "revoked", email });
  expect(data(await keyCall(office, "GET", `/payment-links/${link}`))).toMatchObject({
    status: "Cancelled",
    email,
  });
  expect(await erasePayer(ctx, email)).toMatchObject({ kept_at_gateway: [] });
  expect(await erasePayer(ctx, email)).toMatchObject({ payment_links: { all: 0 } });
  expect(unnamed(await columnsWith(email))).toEqual([]);
});

test("a gateway whose connection was revoked keeps its customer, and the answer says so", async () => {
  const office = await newOffice();
  const email = payer();
  const methodId = await savedMethod(office, email);
  await db.execute(
    sql`update gateway_connections set secret = null, revoked_at = now() where business_id = ${office.businessId}`,
  );
  expect((await erasePayer(office.shop.ctx, email)).kept_at_gateway).toEqual([
    { tokenization_id: methodId, reason: expect.stringContaining("disconnected") },
  ]);
});

test("an erasure names staff and invitations of its own business alone", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  const { businessId } = office;
  const invited = `${newId()}@example.com`;
  const invite = { email: invited, role: "staff" };
  expect((await staffCall(other, "POST", "/team/invitations", invite)).status).toBe(200);
  const remaining = async (email: string) =>
    data<ErasurePreview>(await staffCall(office, "POST", "/payers/erasure-preview", { email }))
      .remaining.length;
  const named = async (email: string) => {
    await withTransaction((tx) =>
      record(tx, businessId, { kind: "operator" }, { action: "noted", details: { email } }),
    );
    const erased = data<Erasure>(await staffCall(office, "POST", "/payers/erase", { email }));
    const entries = sql`select from audit_entries where business_id = ${businessId} and action = 'noted' and details ~ ${email}`;
    return [erased.remaining.length, (await db.execute(entries)).rows.length];
  };
  const unknown = await remaining(payer());
  for (const email of [other.email, invited]) {
    expect(await remaining(email)).toBe(unknown);
    expect(await named(email)).toEqual([unknown, 0]);
  }
  expect(await remaining(office.email)).toBe(unknown + 1);
  expect(await named(office.email)).toEqual([unknown + 1, 1]);
  expect(await faultOf(businessId)).toBeNull();
});
