import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Overview } from "@/lib/contract/overview";
import type { Payment } from "@/lib/contract/payments";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { chargeToken } from "@/lib/contract/tokenizations";
import { unscopedMarkOpened } from "@/lib/domain/payment-links/payer-rows";
import { paymentLookUps } from "@/lib/flows/charge/job";
import { script, setTimes } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { readyPath } from "../contract/fixtures";
import { runOnce } from "../run-once";
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
} from "./setting";

afterAll(closePool);

const timeline = async (office: Office, path: string) =>
  data<TimelineEntry[]>(await staffCall(office, "GET", `${path}/timeline`));
const kinds = (entries: TimelineEntry[]) => entries.map(({ kind }) => kind);

/** A subscription that charges nothing yet. */
async function newSubscription(office: Office): Promise<string> {
  const { _id: package_id } = data<{ _id: string }>(
    await keyCall(office, "POST", "/packages", {
      name: "Gold",
      amount: 4_900,
      currency: "MYR",
      frequency: "monthly",
      date_charge_start: "2027-01-31",
    }),
  );
  const sent = { package_id, email: "ana@example.com" };
  return data<{ _id: string }>(await keyCall(office, "POST", "/subscriptions", sent))._id;
}

test("a link's timeline says who made, changed, opened, tried and paid it, newest first", async () => {
  const office = await newOffice();
  const id = await newLink(office, { send_email: true });
  data(
    await staffCall(
      office,
      "PUT",
      `/payment-links/${id}`,
      link({ amount: 2_000, reference: "INV-7" }),
    ),
  );
  await unscopedMarkOpened([{ businessId: office.businessId, id }]);
  await pay(office, id, "decline");
  await pay(office, id);
  await mailed(id, 2);
  const entries = await timeline(office, `/payment-links/${id}`);
  expect([...entries].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))).toEqual(entries);
  expect(new Set(kinds(entries))).toEqual(
    new Set([
      "payment_link.created",
      "payment_link.updated",
      "opened",
      "attempt.begun",
      "payment.failed",
      "payment.succeeded",
      "payment_link.paid",
      "mail.queued",
    ]),
  );
  const of = (kind: string) => entries.find((entry) => entry.kind === kind);
  expect(of("payment_link.created")).toMatchObject({
    title: "Created",
    actor: { kind: "key", name: "Web shop" },
    changes: [],
  });
  expect(of("payment_link.updated")).toMatchObject({
    actor: { kind: "person", name: "Some Body" },
    changes: [
      { field: "amount", before: 1_250, after: 2_000 },
      { field: "reference", before: null, after: "INV-7" },
    ],
  });
  expect(of("opened")?.actor).toEqual({ kind: "payer", name: "ana@example.com" });
  expect(of("payment.failed")).toMatchObject({
    title: expect.stringMatching(/^Payment failed: ./),
    payment_id: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
  expect(of("mail.queued")).toMatchObject({
    title: "E-mail waits to be sent to ana@example.com",
    mail_id: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
});

test("a payer who is quicker than the note of the opening is shown in the order of what they did", async () => {
  const office = await newOffice();
  const id = await newLink(office, { send_email: true });
  await pay(office, id);
  await mailed(id, 2);
  // Written up to two seconds after the page was opened.
  await unscopedMarkOpened([{ businessId: office.businessId, id }]);
  expect(kinds(await timeline(office, `/payment-links/${id}`))).toEqual([
    "mail.queued",
    "payment_link.paid",
    "payment.succeeded",
    "attempt.begun",
    "opened",
    "mail.queued",
    "payment_link.created",
  ]);
});

test("what an update changed stays out of the event that programs read", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  data(await keyCall(office, "PUT", `/payment-links/${id}`, link({ title: "Satay for three" })));
  const [entry] = await timeline(office, `/payment-links/${id}`);
  expect(entry?.changes).toEqual([
    { field: "title", before: "Satay for two", after: "Satay for three" },
  ]);
  const event = data(await keyCall(office, "GET", `/events/${entry?.event_id}`));
  expect(Object.keys(event).sort()).toEqual(["_id", "created_at", "data", "mode", "type"]);
  expect(JSON.stringify(event)).not.toContain("Satay for two");
});

test("cancelling and reopening show the status before and after", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  data(await keyCall(office, "POST", `/payment-links/${id}/cancel`));
  data(await keyCall(office, "POST", `/payment-links/${id}/reopen`));
  expect(
    (await timeline(office, `/payment-links/${id}`)).map(({ kind, changes }) => [kind, changes]),
  ).toEqual([
    ["payment_link.reopened", [{ field: "status", before: "Cancelled", after: "Active" }]],
    ["payment_link.cancelled", [{ field: "status", before: "Active", after: "Cancelled" }]],
    ["payment_link.created", []],
  ]);
});

test("tokenizations and subscriptions have timelines too, without a token in them", async () => {
  const office = await newOffice();
  const token = data<{ _id: string; token: string }>(
    await keyCall(office, "POST", "/tokenizations/create-token", {
      email: "ana@example.com",
      title: "Gold",
      description: "Monthly",
    }),
  );
  data(await keyCall(office, "DELETE", `/tokenizations/${token.token}`));
  const ofToken = await timeline(office, `/tokenizations/${token._id}`);
  expect(kinds(ofToken)).toEqual(["tokenization.revoked", "tokenization.created"]);
  expect(JSON.stringify(ofToken)).not.toContain(token.token);
  const _id = await newSubscription(office);
  data(await keyCall(office, "PUT", `/subscriptions/${_id}`, { phone_no: "+60123" }));
  data(await keyCall(office, "PUT", `/subscriptions/${_id}`, { status: "cancel" }));
  const ofSubscription = await timeline(office, `/subscriptions/${_id}`);
  expect(kinds(ofSubscription)).toEqual([
    "subscription.cancelled",
    "subscription.updated",
    "subscription.created",
  ]);
  expect(ofSubscription[1]?.changes).toEqual([
    { field: "phone_no", before: null, after: "+60123" },
  ]);
});

test("a payment's timeline is its own, and stays when its link is deleted", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  await pay(office, id, "decline");
  const failed = (await timeline(office, `/payment-links/${id}`)).find(
    ({ kind }) => kind === "payment.failed",
  )?.payment_id;
  await pay(office, id, "decline");
  data(await keyCall(office, "DELETE", `/payment-links/${id}`));
  const entries = await timeline(office, `/payments/${failed}`);
  expect(entries.map(({ kind, payment_id }) => [kind, payment_id])).toEqual([
    ["payment_link.deleted", null],
    ["payment.failed", failed],
    ["attempt.begun", failed],
  ]);
  expect(entries[0]).toMatchObject({
    title: "Payment link deleted",
    actor: { kind: "key", name: "Web shop" },
  });
  expect(entries[2]?.actor).toEqual({ kind: "payer", name: "ana@example.com" });
});

test("a payment's timeline stays when its subscription is deleted", async () => {
  const office = await newOffice();
  const subscription = await newSubscription(office);
  const id = newId();
  await pool().query(
    `insert into payments (business_id, mode, id, status, amount, currency, title, gateway, subscription_id, period_start)
     values ($1, 'test', $2, 'failed', 4900, 'MYR', 'Gold', 'simulator', $3, '2027-01-31')`,
    [office.businessId, id, subscription],
  );
  data(await keyCall(office, "DELETE", `/subscriptions/${subscription}`));
  expect(kinds(await timeline(office, `/payments/${id}`))).toEqual([
    "subscription.deleted",
    "attempt.begun",
  ]);
});

test("a payment's timeline stays however often its saved method is charged later", async () => {
  const office = await newOffice();
  const path = await readyPath(chargeToken, office.shop.ctx);
  const charge = { amount: 3_200, currency: "USD", title: "Late fee" };
  const { _id: first } = data<{ _id: string }>(await keyCall(office, "POST", path, charge));
  await pool().query(
    `insert into payments (business_id, mode, id, status, amount, currency, title, gateway, tokenization_id)
     select business_id, mode, lpad(to_hex(n), 24, '0'), 'cancelled', amount, currency, title, gateway, tokenization_id
     from payments, generate_series(1, 100) n where id = $1`,
    [first],
  );
  expect(kinds(await timeline(office, `/payments/${first}`))).toEqual(["payment.succeeded"]);
});

test.each(["pending", "unknown"] as const)(
  "an attempt that is %s keeps the moment at which it became so, however often it is looked up",
  async (status) => {
    const office = await newOffice();
    const { connection } = office.shop.account;
    await setTimes(connection, { approveAfterMs: 3_600_000 });
    if (status === "unknown") await script(connection.id, "find", "error", { times: 9 });
    const link = await newLink(office);
    await pay(office, link, status === "pending" ? "approve_later" : "approve");
    const looks = async () => {
      const { rows } = await pool().query<{ checks: number }>(
        "update payments set next_check_at = now() where payment_link_id = $1 returning checks",
        [link],
      );
      return rows[0]?.checks ?? 0;
    };
    const shown = async () => {
      const { data: payments } = data<{ data: Payment[] }>(
        await keyCall(office, "GET", `/payments?payment_link_id=${link}`),
      );
      const { attention } = data<Overview>(await staffCall(office, "GET", "/overview"));
      return {
        payment: payments.map((one) => [one.status, one.updated_at]),
        entry: (await timeline(office, `/payment-links/${link}`)).find(
          ({ kind }) => kind === `attempt.${status}`,
        )?.at,
        attention: attention.flatMap(({ latest }) => latest.map(({ at }) => at)),
      };
    };
    const [before, looked] = [await shown(), await looks()];
    const [[, moment] = []] = before.payment;
    expect(before).toEqual({
      payment: [[status, moment]],
      entry: moment,
      attention: status === "unknown" ? [moment] : [],
    });
    for (let round = 1; round <= 2; round++) {
      await runOnce(paymentLookUps, office.businessId);
      expect(await looks()).toBe(looked + round);
    }
    expect(await shown()).toEqual(before);
  },
);
