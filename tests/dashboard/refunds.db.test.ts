import { afterAll, expect, test } from "vitest";
import { parse } from "csv-parse/sync";
import { closePool, pool } from "@/db/client";
import type { AuditEntry } from "@/lib/contract/business";
import type { LedgerEntry } from "@/lib/contract/ledger";
import type { Mail } from "@/lib/contract/mails";
import type { Overview } from "@/lib/contract/overview";
import type { Payment } from "@/lib/contract/payments";
import type { Refund } from "@/lib/contract/refunds";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { script } from "@/lib/gateways/simulator/scripting";
import { api } from "../contract/setting";
import { saveMethod, subscribe, work } from "../money/subscription-setting";
import {
  bearer,
  data,
  file,
  keyCall,
  mailed,
  member,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./setting";

afterAll(closePool);

async function paid(office: Office): Promise<{ link: string; payment: string }> {
  const link = await newLink(office);
  await pay(office, link);
  const { data: rows } = data<{ data: Payment[] }>(
    await keyCall(office, "GET", `/payments?payment_link_id=${link}`),
  );
  return { link, payment: rows[0]?._id ?? "" };
}

test("owners and admins refund; staff record payments by hand; viewers do neither", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  const [staff, admin, viewer] = [
    await member(office, "staff"),
    await member(office, "admin"),
    await member(office, "viewer"),
  ];
  const refund = (headers: Record<string, string>) =>
    staffCall(office, "POST", `/payments/${payment}/refunds`, { amount: 100 }, headers);
  expect([
    (await refund(staff)).status,
    (await refund(viewer)).status,
    (await refund(admin)).status,
    (await refund(office.headers)).status,
  ]).toEqual([403, 403, 200, 200]);
  const record = async (headers: Record<string, string>) =>
    (
      await staffCall(
        office,
        "POST",
        `/payment-links/${await newLink(office)}/payments`,
        { method: "cash" },
        headers,
      )
    ).status;
  expect([await record(staff), await record(viewer)]).toEqual([200, 403]);
  const read = async (path: string) =>
    (await staffCall(office, "GET", path, undefined, viewer)).status;
  expect([
    await read(`/payments/${payment}/refunds`),
    await read("/balance"),
    await read("/ledger-entries"),
  ]).toEqual([200, 200, 200]);
});

test("the audit log says who refunded how much of which payment, once, and of what was recorded by hand", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  const refund = data<Refund>(
    await staffCall(office, "POST", `/payments/${payment}/refunds`, {
      amount: 100,
      reason: "between us",
    }),
  );
  await staffCall(office, "POST", `/payments/${payment}/refunds`, { amount: 9_999 });
  const byHand = data<Payment>(
    await staffCall(office, "POST", `/payment-links/${await newLink(office)}/payments`, {
      method: "cash",
    }),
  );
  const { data: entries } = data<{ data: AuditEntry[] }>(
    await staffCall(office, "GET", "/audit-log?per_page=100"),
  );
  const of = (action: string) => entries.filter((entry) => entry.action === action);
  expect(of("createRefund")).toMatchObject([
    {
      object_id: refund._id,
      details: { fields: ["amount", "reason"], payment_id: payment, amount: 100, currency: "MYR" },
      actor: { id: office.userId },
    },
  ]);
  expect(of("recordPayment")).toMatchObject([
    { object_id: byHand._id, details: { fields: ["method"] } },
  ]);
  expect(JSON.stringify(entries)).not.toContain("between us");
});

test("a refund without a body gives all that is left back; a body must still be JSON", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  const path = `/payments/${payment}/refunds`;
  expect(
    (
      await api("POST", path, {
        key: office.key,
        raw: "amount=5",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
    ).status,
  ).toBe(415);
  expect(
    (
      await api("POST", path, {
        key: office.key,
        raw: "",
        headers: { "content-type": "application/json" },
      })
    ).status,
  ).toBe(200);
  expect(data<Payment>(await keyCall(office, "GET", `/payments/${payment}`))).toMatchObject({
    status: "refunded",
    refunded_amount: 1_250,
  });
  const second = await paid(office);
  expect(
    data<Refund>(await keyCall(office, "POST", `/payments/${second.payment}/refunds`)),
  ).toMatchObject({ amount: 1_250, status: "succeeded" });
});

test.each([
  [0, ["The amount must be at least 1."]],
  [-1, ["The amount must be at least 1."]],
  [
    "1.5",
    [
      "The amount must be an integer.",
      "The amount is in minor units of the currency: send 1250 for MYR 12.50.",
    ],
  ],
  [1_251, ["The amount must not be greater than 1250."]],
  [true, ["The amount must be an integer."]],
])("the amount %j is a 422 on its field", async (amount, messages) => {
  const office = await newOffice();
  const { payment } = await paid(office);
  const answer = await keyCall(office, "POST", `/payments/${payment}/refunds`, { amount });
  expect([answer.status, answer.body]).toEqual([
    422,
    { message: "The given data was invalid.", errors: { amount: messages } },
  ]);
});

test("a link's timeline shows the refund, who asked for it, and the payer's mail", async () => {
  const office = await newOffice();
  const { link, payment } = await paid(office);
  await staffCall(office, "POST", `/payments/${payment}/refunds`, { amount: 100 });
  await mailed(link, 2);
  const entries = data<TimelineEntry[]>(
    await staffCall(office, "GET", `/payment-links/${link}/timeline`),
  );
  expect(entries.find(({ kind }) => kind === "payment.refunded")).toMatchObject({
    title: "Payment refunded",
    actor: { kind: "person" },
    changes: expect.arrayContaining([{ field: "refunded_amount", before: 0, after: 100 }]),
  });
});

test("collected is what came less what went back, and a refund that failed asks for attention until another is made", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  const overview = async () =>
    data<Overview>(await staffCall(office, "GET", "/overview?currency=MYR"));
  await keyCall(office, "POST", `/payments/${payment}/refunds`, { amount: 250 });
  expect((await overview()).currencies[0]).toMatchObject({ collected: 1_000, collected_count: 1 });
  await script(office.shop.account.connection.id, "refund", "decline");
  await keyCall(office, "POST", `/payments/${payment}/refunds`, { amount: 300 });
  expect((await overview()).attention).toMatchObject([
    {
      kind: "refund_failed",
      count: 1,
      latest: [{ _id: payment, amount: 300, detail: "The bank refused the refund." }],
    },
  ]);
  await keyCall(office, "POST", `/payments/${payment}/refunds`, { amount: 300 });
  expect((await overview()).attention).toEqual([]);
});

test("a refund without an answer, or of another amount than was asked, needs a person until its outcome is known", async () => {
  const office = await newOffice();
  const { connection } = office.shop.account;
  const asking = async () => data<Overview>(await staffCall(office, "GET", "/overview")).attention;
  const refunded: Refund[] = [];
  for (const effect of ["error", "wrong_amount"] as const) {
    const { payment } = await paid(office);
    await script(connection.id, "refund", effect);
    refunded.push(
      data<Refund>(await keyCall(office, "POST", `/payments/${payment}/refunds`, { amount: 300 })),
    );
  }
  expect(await asking()).toMatchObject([
    {
      kind: "refund_unknown",
      count: 2,
      latest: [
        { _id: refunded[1]?.payment_id, detail: expect.stringContaining("different amount") },
        { _id: refunded[0]?.payment_id, amount: 300, at: refunded[0]?.updated_at },
      ],
    },
  ]);
  for (const { _id } of refunded) {
    await pool().query(
      "update refunds set (started_at, unknown_since) = row(t, t) from (select now() - interval '25 hours' as t) as moment where id = $1",
      [_id],
    );
    data(await staffCall(office, "POST", `/refunds/${_id}/resolve`, { outcome: "succeeded" }));
  }
  expect(await asking()).toEqual([]);
});

test("refunds are found by amount and currency, like everything that has them", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  for (const amount of [100, 300, 200])
    await keyCall(office, "POST", `/payments/${payment}/refunds`, { amount });
  const found = async (query: string) =>
    data<{ data: Array<{ amount: number }> }>(
      await keyCall(office, "GET", `/payments/${payment}/refunds?${query}`),
    ).data.map(({ amount }) => amount);
  expect(await found("amount_min=200&sort=amount")).toEqual([200, 300]);
  expect(await found("amount_max=100&currency=MYR")).toEqual([100]);
  expect(await found("currency=JPY")).toEqual([]);
});

test("the ledger is exported by the same filters it is listed by", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  await paid(office);
  await keyCall(office, "POST", `/payments/${payment}/refunds`, { amount: 250 });
  const query = `payment_id=${payment}&account=gateway`;
  const lines = parse(
    await (await file(`/ledger-entries/export?${query}`, bearer(office.key))).text(),
    { columns: true },
  ) as Record<string, string>[];
  const { data: listed } = data<{ data: LedgerEntry[] }>(
    await keyCall(office, "GET", `/ledger-entries?${query}`),
  );
  expect(lines.map(({ _id }) => _id)).toEqual(listed.map(({ _id }) => _id));
  expect(lines.map(({ kind, debit, credit }) => [kind, debit, credit]).sort()).toEqual([
    ["fee", "0", "25"],
    ["gross", "1250", "0"],
    ["refund", "0", "250"],
  ]);
});

test("the payer of a subscription that is deleted meanwhile still gets the receipt, and the mail about a refund", async () => {
  const office = await newOffice();
  await saveMethod(office.shop);
  const { _id } = await subscribe(office.shop);
  await work(office.shop);
  const { data: rows } = data<{ data: Payment[] }>(
    await keyCall(office, "GET", `/payments?subscription_id=${_id}`),
  );
  data(await keyCall(office, "DELETE", `/subscriptions/${_id}`));
  data(await keyCall(office, "POST", `/payments/${rows[0]?._id}/refunds`, { amount: 250 }));
  await mailed(_id, 2);
  const { data: mails } = data<{ data: Mail[] }>(
    await staffCall(office, "GET", `/mails?subscription_id=${_id}`),
  );
  expect(mails.map(({ kind }) => kind).sort()).toEqual([
    "subscription_receipt",
    "subscription_refund",
  ]);
});
