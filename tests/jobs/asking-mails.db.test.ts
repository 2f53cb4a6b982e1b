import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { take } from "@/lib/domain/limits/limits";
import { insertMail } from "@/lib/domain/mails/rows";
import { settle } from "@/lib/domain/payments/settle";
import { defineMailSending, mailComposition } from "@/lib/flows/mailing/job";
import { newId } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import type { MailTransport, SendOutcome } from "@/lib/mail/transport";
import {
  connectLive,
  data,
  keyCall,
  mailed,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "../dashboard/setting";
import { paymentsOf } from "../money/setting";
import { payLate } from "../money/late-payment";
import { runAll } from "../run-once";

afterAll(closePool);

/** Sends what is due of a business, as if each mail's next try had come. The subjects of those tried. */
async function send(office: Office, outcome: SendOutcome = { kind: "sent" }): Promise<string[]> {
  const sent: string[] = [];
  const transport: MailTransport = {
    send: async ({ subject }) => {
      sent.push(subject);
      return outcome;
    },
    close: () => undefined,
  };
  await pool().query(
    "update mails set next_try_at = now() where business_id = $1 and next_try_at is not null",
    [office.businessId],
  );
  await runAll(defineMailSending(transport), office.businessId);
  return sent;
}

const mailsOf = async (id: string) =>
  (
    await pool().query(
      "select kind, status, error from mails where object_id = $1 order by created_at, id",
      [id],
    )
  ).rows;

const kept = { status: "kept", error: "The payment link takes no money any more." };

const later: SendOutcome = { kind: "temporary", reason: "450 try later" };
const lost: SendOutcome = { kind: "unknown", reason: "The connection was lost." };

/** A link. The mail server put its first mail off, or lost its answer to it. */
async function putOff(outcome = later): Promise<{ office: Office; id: string }> {
  const office = await newOffice();
  const id = await newLink(office, { email: office.email, send_email: true });
  await mailed(id, 1);
  expect(await send(office, outcome)).toHaveLength(1);
  const status = outcome.kind === "unknown" ? "unknown" : "queued";
  expect(await mailsOf(id)).toMatchObject([{ kind: "payment_link", status }]);
  return { office, id };
}

const ends: Record<string, (office: Office, id: string) => Promise<unknown>> = {
  paid: pay,
  cancelled: (office, id) => keyCall(office, "POST", `/payment-links/${id}/cancel`),
  deleted: (office, id) => keyCall(office, "DELETE", `/payment-links/${id}`),
  expired: (_office, id) =>
    pool().query("update payment_links set expires_at = now() where id = $1", [id]),
};
test.each(Object.entries(ends))(
  "a first mail that waited until its link was %s asks nobody for money",
  async (_, end) => {
    const { office, id } = await putOff();
    await end(office, id);
    expect(await send(office)).toEqual([]);
    expect(await mailsOf(id)).toMatchObject([kept]);
  },
);

test.each(Object.entries(ends))(
  "a first mail that may have arrived is still called so once its link was %s",
  async (_, end) => {
    const { office, id } = await putOff(lost);
    await end(office, id);
    expect(await send(office)).toEqual([]);
    expect(await mailsOf(id)).toMatchObject([{ ...kept, status: "unknown" }]);
  },
);

test("a first mail that may have arrived is tried again, not sent again by hand meanwhile, and sent once the server takes it", async () => {
  const { office, id } = await putOff(lost);
  await send(office, later);
  const { data: list } = data<{ data: { _id: string }[] }>(
    await staffCall(office, "GET", `/mails?payment_link_id=${id}`),
  );
  expect(list).toMatchObject([{ status: "unknown", resendable: false }]);
  expect((await staffCall(office, "POST", `/mails/${list[0]?._id}/resend`)).status).toBe(409);
  expect(await send(office)).toHaveLength(1);
  expect(await mailsOf(id)).toMatchObject([{ status: "sent" }]);
});

test("a first mail that may have arrived is still called so while its recipient's limit holds it back", async () => {
  const { office, id } = await putOff(lost);
  const recipient = `${office.businessId}:${office.email}`;
  while ((await take("payer_mail_recipient", recipient)).allowed);
  expect(await send(office)).toEqual([]);
  expect(await mailsOf(id)).toMatchObject([{ status: "unknown" }]);
});

const change = (office: Office, id: string, values: Record<string, unknown>) =>
  keyCall(office, "PUT", `/payment-links/${id}`, {
    email: office.email,
    currency: "MYR",
    amount: 1_250,
    title: "Satay",
    ...values,
  });

test("a first mail that waited until its link had another payer goes to neither", async () => {
  const { office, id } = await putOff();
  expect((await change(office, id, { email: "right@example.com" })).status).toBe(200);
  expect(await send(office)).toEqual([]);
  expect(await mailsOf(id)).toMatchObject([
    { status: "kept", error: "The payment link has another payer now." },
  ]);
});

test("a payer to whom a link was given before its first mail was written is mailed once, and only by an edit that asks for it", async () => {
  const office = await newOffice();
  const id = await newLink(office, { email: office.email, send_email: true });
  const right = "right@example.com";
  const mailsToThem = async () => {
    await runAll(mailComposition, office.businessId);
    const text = "select from mails where object_id = $1 and recipient = $2";
    return (await pool().query(text, [id, right])).rowCount;
  };
  expect((await change(office, id, { email: right })).status).toBe(200);
  expect(await mailsToThem()).toBe(0);
  expect((await change(office, id, { email: right, send_email: true })).status).toBe(200);
  expect(await mailsToThem()).toBe(1);
});

test("a first mail that waited until its link asked for another amount says the new one, also in the outbox", async () => {
  const { office, id } = await putOff();
  expect((await change(office, id, { amount: 9_900, title: "Two satay" })).status).toBe(200);
  const [subject] = await send(office);
  expect(subject).toContain("MYR 99.00");
  const { data: list } = data<{ data: { _id: string; subject: string }[] }>(
    await staffCall(office, "GET", `/mails?payment_link_id=${id}`),
  );
  expect(list).toMatchObject([{ subject, status: "sent" }]);
  expect(data(await staffCall(office, "GET", `/mails/${list[0]?._id}`))).toMatchObject({
    text: expect.stringContaining("Two satay"),
  });
});

test("a first mail that waited goes out while its link can be paid", async () => {
  const { office, id } = await putOff();
  expect(await send(office)).toHaveLength(1);
  expect(await mailsOf(id)).toMatchObject([{ status: "sent" }]);
});

test.each([
  ["fails", "sent"],
  ["succeeds", "kept"],
] as const)(
  "a first mail waits while a payment of its link is under way; once that %s it is %s",
  async (end, status) => {
    const { office, id } = await putOff();
    await pay(office, id, "approve_later");
    for (let looks = 0; looks < 2; looks += 1) expect(await send(office)).toEqual([]);
    expect(await mailsOf(id)).toMatchObject([{ status: "waiting" }]);
    const [payment] = await paymentsOf(office.shop);
    const found =
      end === "fails"
        ? ({ kind: "failed", decline: "soft", reason: "No money." } as const)
        : ({ kind: "succeeded", amount: 1_250, currency: "MYR", fee: 0 } as const);
    const { id: paymentId = "", gatewayId } = payment ?? {};
    await settle(office.shop.ctx, paymentId, { ...found, gatewayId: gatewayId ?? "" });
    expect(await send(office)).toHaveLength(status === "sent" ? 1 : 0);
    expect((await mailsOf(id))[0]).toMatchObject({ status });
  },
);

test("a first mail waits while no gateway takes the money of live mode, and goes out once one does", async () => {
  const { office, id } = await putOff();
  for (const [table, column] of [
    ["payment_links", "id"],
    ["mails", "object_id"],
  ])
    await pool().query(`update ${table} set mode = 'live' where ${column} = $1`, [id]);
  expect(await send(office)).toEqual([]);
  expect(await mailsOf(id)).toMatchObject([{ status: "waiting" }]);
  await connectLive(office);
  expect(await send(office)).toHaveLength(1);
  expect(await mailsOf(id)).toMatchObject([{ status: "sent" }]);
});

test("a mail that staff sent again is kept too once its link is paid, and the receipt goes out", async () => {
  const { office, id } = await putOff();
  await send(office);
  expect((await staffCall(office, "POST", `/payment-links/${id}/send`)).status).toBe(200);
  await pay(office, id);
  await runAll(mailComposition, office.businessId);
  await send(office);
  expect(await mailsOf(id)).toMatchObject([
    { status: "sent" },
    { kind: "payment_link", ...kept },
    { kind: "receipt", status: "sent" },
  ]);
});

const paidMeanwhile = {
  status: "kept",
  error: "The payer has paid meanwhile, and the money was not refunded.",
};
const payOldAmount = (office: Office, id: string) =>
  payLate(office.shop.ctx, id, () => change(office, id, { amount: 9_900 }));

test("a first mail that waited until money for the former amount came asks for nothing more", async () => {
  const { office, id } = await putOff();
  await payOldAmount(office, id);
  expect(await send(office)).toEqual([]);
  expect(await mailsOf(id)).toMatchObject([paidMeanwhile]);
});

const purposely: Record<string, (office: Office, id: string) => Promise<unknown>> = {
  "sending the link": (office, id) => staffCall(office, "POST", `/payment-links/${id}/send`),
  "an edit that is mailed": async (office, id) => {
    await change(office, id, { amount: 8_650, send_email: true });
    await runAll(mailComposition, office.businessId);
  },
};
test.each(Object.entries(purposely))(
  "staff ask a payer for more after money came late, by %s",
  async (_, ask) => {
    const { office, id } = await putOff();
    await payOldAmount(office, id);
    await ask(office, id);
    expect(await send(office)).toHaveLength(1);
    expect(await mailsOf(id)).toMatchObject([paidMeanwhile, { status: "sent" }]);
  },
);

const periodKinds = [
  "payment_due",
  "payment_overdue",
  "payment_failed",
  "payment_unconfirmed",
  "subscription_halted",
];

/** A link of which a mail of a subscription speaks, which waits. */
async function waiting(kind: string) {
  const { office, id } = await putOff();
  await send(office);
  await insertMail(db, {
    id: newId(),
    businessId: office.businessId,
    mode: "test",
    kind,
    cause: newId(),
    objectId: id,
    recipient: office.email,
    subject: kind,
    html: seal("<p>Pay</p>", "mail"),
    text: seal("Pay", "mail"),
  });
  return { office, id };
}

test.each(periodKinds)(
  "a mail of kind %s is kept once its period's link is closed",
  async (kind) => {
    const { office, id } = await waiting(kind);
    await keyCall(office, "POST", `/payment-links/${id}/cancel`);
    expect(await send(office)).toEqual([]);
    expect(await mailsOf(id)).toMatchObject([{ status: "sent" }, { kind, ...kept }]);
  },
);

test.each(periodKinds)(
  "a mail of kind %s waits for a payment under way, but for one that names the next try",
  async (kind) => {
    const { office, id } = await waiting(kind);
    await pay(office, id, "approve_later");
    expect(await send(office)).toEqual([]);
    const waits = kind !== "payment_failed";
    expect((await mailsOf(id))[1]).toMatchObject(waits ? { kind, status: "waiting" } : kept);
  },
);

test.each(periodKinds)(
  "a mail of kind %s is kept once another payer has its link",
  async (kind) => {
    const { office, id } = await waiting(kind);
    await change(office, id, { email: "right@example.com" });
    expect(await send(office)).toEqual([]);
    expect(await mailsOf(id)).toMatchObject([
      { status: "sent" },
      { kind, status: "kept", error: "The payment link has another payer now." },
    ]);
  },
);
