import { afterAll, describe, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import type { Mail, MailWithContent } from "@/lib/contract/mails";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { type MailKind, mailKinds } from "@/lib/contract/values";
import { insertMail } from "@/lib/domain/mails/rows";
import { begin } from "@/lib/flows/checkout/steps";
import { systemCtx } from "@/lib/domain/context";
import { newId } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { api } from "../contract/setting";
import {
  connectLive,
  data,
  keyCall,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./setting";

afterAll(closePool);

/** A mail of a kind about a record, sent already. */
async function someMail(office: Office, kind: MailKind, objectId: string): Promise<string> {
  const id = newId();
  await insertMail(db, {
    id,
    businessId: office.businessId,
    mode: "test",
    kind,
    cause: id,
    objectId,
    recipient: "ana@example.com",
    subject: "Pay",
    html: seal("<p>Pay</p>", "mail"),
    text: seal("Pay", "mail"),
  });
  await pool().query("update mails set status = 'sent', next_try_at = null where id = $1", [id]);
  return id;
}

const resend = (office: Office, id: string) => staffCall(office, "POST", `/mails/${id}/resend`);
/** What the mail says, and with it the list. */
async function resendable(office: Office, id: string): Promise<boolean> {
  const one = data<Mail>(await staffCall(office, "GET", `/mails/${id}`)).resendable;
  const { data: listed } = data<{ data: Mail[] }>(await staffCall(office, "GET", `/mails?q=${id}`));
  expect(listed.map((mail) => [mail._id, mail.resendable])).toEqual([[id, one]]);
  return one;
}
const send = (office: Office, id: string, headers: Record<string, string> = {}) =>
  api("POST", `/payment-links/${id}/send`, { key: office.key, headers });
const mailsOf = async (office: Office, id: string) =>
  data<{ data: Mail[] }>(await staffCall(office, "GET", `/mails?payment_link_id=${id}`)).data;

const ends: Record<string, (office: Office, id: string) => Promise<unknown>> = {
  paid: pay,
  cancelled: async (office, id) =>
    data(await keyCall(office, "POST", `/payment-links/${id}/cancel`)),
  expired: (_office, id) =>
    pool().query(
      "update payment_links set expires_at = now() - interval '1 second' where id = $1",
      [id],
    ),
  deleted: async (office, id) => data(await keyCall(office, "DELETE", `/payment-links/${id}`)),
};
const asking: readonly MailKind[] = [
  "payment_link",
  "payment_reminder",
  "payment_due",
  "payment_overdue",
  "payment_failed",
  "payment_unconfirmed",
  "subscription_halted",
];
const telling = mailKinds.filter((kind) => !asking.includes(kind));

describe.each(Object.entries(ends))("when the link is %s", (_, end) => {
  test.each(asking)("a mail of kind %s, which asks for money, is not sent again", async (kind) => {
    const office = await newOffice();
    const link = await newLink(office);
    const mail = await someMail(office, kind, link);
    expect(await resendable(office, mail)).toBe(true);
    await end(office, link);
    expect(await resendable(office, mail)).toBe(false);
    expect(await resend(office, mail)).toMatchObject({
      status: 409,
      body: { code: "not_payable", errors: {} },
    });
  });

  test("receipts and other news are", async () => {
    const office = await newOffice();
    const link = await newLink(office);
    const news = await Promise.all(telling.map((kind) => someMail(office, kind, link)));
    await end(office, link);
    for (const mail of news.slice(0, 5)) {
      expect(await resendable(office, mail)).toBe(true);
      expect((await resend(office, mail)).status).toBe(200);
    }
  });

  test("it is not sent", async () => {
    const office = await newOffice();
    const link = await newLink(office);
    await end(office, link);
    const answer = await send(office, link);
    expect([answer.status, answer.body.code]).toEqual(
      end === ends.deleted ? [404, "not_found"] : [409, "not_payable"],
    );
  });
});

test("in live mode without a gateway nothing that asks for money is sent again, and news is", async () => {
  const office = await newOffice();
  const link = await newLink(office);
  const again = async (kind: MailKind) => {
    const mail = await someMail(office, kind, link);
    await pool().query("update mails set mode = 'live' where id = $1", [mail]);
    const headers = { ...office.headers, "x-kutip-mode": "live" };
    const answer = await staffCall(office, "POST", `/mails/${mail}/resend`, undefined, headers);
    return [kind, answer.status, answer.body.code];
  };
  await pool().query("update payment_links set mode = 'live' where id = $1", [link]);
  for (const kind of asking)
    expect(await again(kind)).toEqual([kind, 409, "gateway_not_connected"]);
  expect(await again("receipt")).toEqual(["receipt", 200, undefined]);
  await connectLive(office);
  expect(await again("payment_link")).toEqual(["payment_link", 200, undefined]);
});

test("a mail that another secret sealed is shown without its content, and not sent again", async () => {
  const office = await newOffice();
  const mail = await someMail(office, "receipt", await newLink(office));
  await pool().query("update mails set html = 'AAAA.AAAA', text = 'AAAA.AAAA' where id = $1", [
    mail,
  ]);
  const shown = await staffCall(office, "GET", `/mails/${mail}`);
  expect([shown.status, shown.body.data]).toMatchObject([
    200,
    { subject: "Pay", html: "[unreadable]", text: "[unreadable]", resendable: false },
  ]);
  expect(await resendable(office, mail)).toBe(false);
  expect(await resend(office, mail)).toMatchObject({ status: 409, body: { code: "conflict" } });
});

const changes = {
  amount: [{ amount: 2_750 }, "MYR 27.50"],
  currency: [{ currency: "SGD" }, "SGD 12.50"],
  title: [{ title: "Corrected trip" }, "Corrected trip"],
  description: [{ description: "By bus, not by train" }, "By bus, not by train"],
  reference: [{ reference: "R-7781" }, "R-7781"],
  payer: [{ email: "right@example.com" }, "MYR 12.50"],
} as const;

describe.each(Object.entries(changes))(
  "after the %s of a link was changed",
  (what, [change, now]) => {
    test.each(["payment_link", "payment_reminder"] as const)(
      "a %s that is sent again asks for what the link says now",
      async (kind) => {
        const office = await newOffice();
        const link = await newLink(office);
        const mail = await someMail(office, kind, link);
        const stored = data<object>(await keyCall(office, "GET", `/payment-links/${link}`));
        data(await keyCall(office, "PUT", `/payment-links/${link}`, { ...stored, ...change }));
        const again = data<Mail>(await resend(office, mail));
        const { text, html, recipient } = data<MailWithContent>(
          await staffCall(office, "GET", `/mails/${again._id}`),
        );
        expect(recipient).toBe(what === "payer" ? "right@example.com" : "ana@example.com");
        expect(text).toContain(now);
        expect(html).toContain(now);
        if (what === "amount" || what === "currency") expect(text).not.toContain("MYR 12.50");
      },
    );
  },
);

test.each([
  "payment_due",
  "payment_overdue",
  "payment_failed",
  "payment_unconfirmed",
  "subscription_halted",
] as const)("a mail of kind %s is not sent again to an earlier payer of its link", async (kind) => {
  const office = await newOffice();
  const link = await newLink(office);
  const mail = await someMail(office, kind, link);
  expect((await resend(office, mail)).status).toBe(200);
  await pool().query("update payment_links set email = 'right@example.com' where id = $1", [link]);
  expect(await resendable(office, mail)).toBe(false);
  expect(await resend(office, mail)).toMatchObject({ status: 409, body: { code: "conflict" } });
});

describe("sending a link", () => {
  test("mails its payer as it is now, says who asked, and changes nothing else", async () => {
    const office = await newOffice();
    const link = await newLink(office, { send_email: false });
    const state = () =>
      pool().query(
        "select to_jsonb(l) as link, (select count(*)::int from events where business_id = l.business_id) as events from payment_links l where id = $1",
        [link],
      );
    const before = (await state()).rows;
    const answer = await send(office, link);
    expect(answer.body.data).toEqual(data(await keyCall(office, "GET", `/payment-links/${link}`)));
    expect((await state()).rows).toEqual(before);
    expect(await mailsOf(office, link)).toMatchObject([
      { kind: "payment_link", recipient: "ana@example.com", resent_from: null, status: "queued" },
    ]);
    await staffCall(office, "POST", `/payment-links/${link}/send`);
    const timeline = data<TimelineEntry[]>(
      await keyCall(office, "GET", `/payment-links/${link}/timeline`),
    );
    expect(
      timeline.filter(({ mail_id }) => mail_id !== null).map(({ actor }) => actor.kind),
    ).toEqual(["person", "key"]);
  });

  test("does not disturb a payer who is at the gateway", async () => {
    const office = await newOffice();
    const link = await newLink(office, { send_email: false });
    const payer = systemCtx(
      { businessId: office.businessId, mode: "test" },
      { kind: "payer" },
      "send-test",
    );
    const { version } = data<{ version: number }>(
      await keyCall(office, "GET", `/payment-links/${link}`),
    );
    const first = await begin(payer, link, version);
    expect(first.kind).toBe("redirect");
    expect((await send(office, link)).status).toBe(200);
    expect(await begin(payer, link, version)).toEqual(first);
    await pay(office, link);
    expect(data(await keyCall(office, "GET", `/payment-links/${link}`))).toMatchObject({
      paid: true,
    });
  });

  test("happens once for one Idempotency-Key, and five times an hour at most together with mails that are sent again", async () => {
    const office = await newOffice();
    const link = await newLink(office, { send_email: false });
    const key = { "idempotency-key": "send-once" };
    await send(office, link, key);
    await send(office, link, key);
    expect(await mailsOf(office, link)).toHaveLength(1);
    const receipt = await someMail(office, "receipt", link);
    expect((await resend(office, receipt)).status).toBe(200);
    const more = await Promise.all(Array.from({ length: 6 }, () => send(office, link)));
    expect(more.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429]);
  });
});
