import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import type { Batch, BatchReport } from "@/lib/contract/batches";
import type { BulkReport } from "@/lib/contract/bulk";
import type { Customer } from "@/lib/contract/customers";
import type { Subscription } from "@/lib/contract/subscriptions";
import { create as createPackage } from "@/lib/domain/packages/create";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import { batchWork } from "@/lib/flows/batch/job";
import { mailComposition } from "@/lib/flows/mailing/job";
import type { Answer } from "./contract/setting";
import {
  data,
  keyCall,
  link,
  newLink,
  newOffice,
  type Office,
  staffCall,
} from "./dashboard/setting";
import { payer } from "./furnished-payer";
import { connect, v1 } from "./plugins/setting";
import { runAll } from "./run-once";

afterAll(closePool);

let office: Office;
let packageId: string;
beforeAll(async () => {
  office = await newOffice();
  const terms = { name: "Club", amount: 1_250, currency: "MYR", frequency: "yearly" } as const;
  packageId = (await createPackage(office.shop.ctx, { ...terms, date_charge_start: "2999-01-31" }))
    ._id;
});

const send = async <T = { _id: string }>(method: string, path: string, body?: object) =>
  data<T>(await keyCall(office, method, path, body));
const erase = async (email: string) =>
  data(await staffCall(office, "POST", "/payers/erase", { email }));
const work = () => runAll(batchWork, office.businessId);
const batch = async (body: object) => {
  const { _id } = await send("POST", "/batches", body);
  await db.execute(
    sql`update batches set starts_at = now() - interval '1 second' where id = ${_id}`,
  );
  await work();
  return _id;
};
const outcome = async (batchId: string) => {
  const { changed } = await send<Batch>("GET", `/batches/${batchId}`);
  return [changed, (await send<BatchReport>("GET", `/batches/${batchId}/report`)).reasons];
};
const mailsTo = async (email: string) => {
  await runAll(mailComposition, office.businessId);
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from mails where business_id = ${office.businessId} and recipient = ${email} and status <> 'kept'`,
  );
  return rows[0]?.n;
};

/** A link of an erased payer, in the state in which the erasure has left it. */
async function linkOfErased(values: object = {}): Promise<string> {
  const email = payer();
  const id = await newLink(office, { email, ...values });
  await erase(email);
  return id;
}

/** As versions before could leave one: open, with the placeholder for its payer. */
async function openLinkOfErased(): Promise<string> {
  const id = await linkOfErased();
  await db.execute(sql`update payment_links set status = 'Active' where id = ${id}`);
  return id;
}

/** Every call that takes the address of a payer. */
const doors: Record<string, (email: string) => Promise<Answer>> = {
  "a new customer": (email) => keyCall(office, "POST", "/customers", { email }),
  "a new link": (email) => keyCall(office, "POST", "/payment-links", link({ email })),
  "an edited link": async (email) =>
    keyCall(office, "PUT", `/payment-links/${await newLink(office)}`, link({ email })),
  "the edited link of an erased payer": async (email) =>
    keyCall(office, "PUT", `/payment-links/${await linkOfErased()}`, link({ email })),
  "a new token": (email) =>
    keyCall(office, "POST", "/tokenizations/create-token", { email, title: "T", description: "D" }),
  "a new subscription": (email) =>
    keyCall(office, "POST", "/subscriptions", { package_id: packageId, email }),
  "an edited subscription": async (email) => {
    const values = { package_id: packageId, email: payer() };
    const { _id } = await send<Subscription>("POST", "/subscriptions", values);
    return keyCall(office, "PUT", `/subscriptions/${_id}`, { email });
  },
  "the preview of an erasure": (email) =>
    staffCall(office, "POST", "/payers/erasure-preview", { email }),
  "an erasure": (email) => staffCall(office, "POST", "/payers/erase", { email }),
  "a link of a shop plugin": async (email) =>
    v1("POST", "/payment-links", {
      key: (await connect()).apiKey,
      json: JSON.stringify({ email, currency: "MYR", amount: "12.50", title: "Satay" }),
    }),
};

test.each(Object.entries(doors))(
  "the placeholder for erased payers is refused as the address of %s",
  async (_door, call) => {
    for (const email of [ERASED_EMAIL, ERASED_EMAIL.toUpperCase()]) {
      const { status, body } = await call(email);
      expect([status, body.errors]).toEqual([
        422,
        { email: ["The email is the placeholder for erased payers."] },
      ]);
    }
    const { data: found } = await send<{ data: Customer[] }>(
      "GET",
      `/customers?email=${ERASED_EMAIL}`,
    );
    expect(found).toEqual([]);
  },
);

test("an import leaves out the rows of erased payers, and makes the others", async () => {
  const rows = [link({ email: ERASED_EMAIL, send_email: true }), link()];
  const report = await send<BulkReport>("POST", "/payment-links/bulk", { rows });
  expect(report).toMatchObject({ created: 1, invalid: 1, mails: 0 });
  expect(Object.keys(report.rows[0]?.errors ?? {})).toEqual(["email"]);
});

test("the link of an erased payer is not opened again, by itself or by a change of many", async () => {
  const [email, other] = [payer(), payer()];
  const [id, kept] = [await newLink(office, { email }), await newLink(office, { email: other })];
  const cancelled = await batch({ action: "cancel", ids: [id, kept] });
  await erase(email);
  const reopened = await keyCall(office, "POST", `/payment-links/${id}/reopen`);
  expect([reopened.status, reopened.body.message]).toEqual([
    409,
    "The payer of this payment link was erased.",
  ]);
  const undone = await send("POST", `/batches/${cancelled}/undo`);
  await work();
  expect(await outcome(undone._id)).toEqual([1, [{ reason: "changed_since", count: 1 }]]);
  await db.execute(
    sql`update payment_links set status = 'Expired', expires_at = '2026-01-01' where id = ${id}`,
  );
  const extended = await batch({ action: "extend", ids: [id], extend_days: 7 });
  expect(await outcome(extended)).toEqual([0, [{ reason: "expired", count: 1 }]]);
});

test("an erased payer is mailed nothing, whatever asks for it", async () => {
  const id = await openLinkOfErased();
  const sent = await keyCall(office, "POST", `/payment-links/${id}/send`);
  expect([sent.status, sent.body.message]).toEqual([
    409,
    "The payer of this payment link was erased.",
  ]);
  const reminded = await batch({ action: "remind", ids: [id] });
  expect(await outcome(reminded)).toEqual([0, [{ reason: "unchanged", count: 1 }]]);
  expect(await mailsTo(ERASED_EMAIL)).toBe(0);
});

test("a mail to a former payer of a link whose payer was erased is not sent again", async () => {
  const [email, former] = [payer(), payer()];
  const id = await newLink(office, { email: former, send_email: true });
  expect(await mailsTo(former)).toBe(1);
  await db.execute(
    sql`update mails set status = 'sent', next_try_at = null where object_id = ${id}`,
  );
  const mails = data<{ data: { _id: string }[] }>(
    await staffCall(office, "GET", `/mails?payment_link_id=${id}`),
  );
  await send("PUT", `/payment-links/${id}`, link({ email }));
  await erase(email);
  await db.execute(sql`update payment_links set status = 'Active' where id = ${id}`);
  const again = await staffCall(office, "POST", `/mails/${mails.data[0]?._id}/resend`);
  expect([again.status, again.body.message]).toEqual([
    409,
    "The payer of this payment link was erased.",
  ]);
});
