import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import { withTransaction } from "@/db/client";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { mailsAbout } from "@/lib/domain/mails/rows";
import { insertLink } from "@/lib/domain/payment-links/insert-rows";
import { insertPayment } from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { newId } from "@/lib/kernel/ids";
import { signIn } from "../console/fixtures";
import { arrive, notice } from "../console/screen";
import { joinShop, newStaff } from "../console/staff";
import { expect, test } from "../fixtures";
import { join, leave } from "../install";
import { besides, type Service, startService } from "../service";
import { linkInput, newLink, newShop, type Shop } from "../shop";

// One install and one mail server for all.
test.describe.configure({ mode: "default" });

type Delivery = { to: string[]; mail: ParsedMail };
const delivered: Delivery[] = [];
let smtp: SMTPServer | undefined;
let port = 0;
let service: Service;
let live: Shop;

/** A mail server that takes mails, except for those to `full…` (later, perhaps) and `nobody…` (never). */
async function startMailServer(): Promise<void> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    closeTimeout: 100,
    onRcptTo: ({ address }, _session, done) => {
      const code = address.startsWith("full") ? 452 : address.startsWith("nobody") ? 550 : 0;
      done(code ? Object.assign(new Error("not for this mailbox"), { responseCode: code }) : null);
    },
    onData: (stream, session, done) => {
      simpleParser(stream).then((mail) => {
        delivered.push({ to: session.envelope.rcptTo.map(({ address }) => address), mail });
        done();
      }, done);
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  port = (server.server.address() as AddressInfo).port;
  smtp = server;
}

async function stopMailServer(): Promise<void> {
  await new Promise<void>((resolve) => (smtp ? smtp.close(resolve) : resolve()));
  smtp = undefined;
}

test.beforeAll(async () => {
  test.setTimeout(90_000);
  await startMailServer();
  service = await startService({
    LOG_LEVEL: "fatal",
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: "Kutip <bills@kutip.example>",
  });
  await join(service);
  live = await newShop(service.url, "Kedai Buku", "live");
});
test.afterAll(async () => {
  await leave();
  await service?.stop();
  await stopMailServer();
});

let names = 0;
const someone = (prefix = "payer") => `${prefix}${++names}@example.com`;
const mailsTo = (address: string) => delivered.filter(({ to }) => to.includes(address));
const statesOf = async (shop: Shop, id: string) =>
  (await mailsAbout(shop.ctx, id)).map(({ kind, status }) => `${kind} ${status}`);
const linkFor = (email: string, more: Record<string, unknown> = {}) =>
  newLink(live, { email, send_email: true, ...more });

/** When all links made so far have had their chance: a mail for a later one has come through. */
async function expectLaterMail(): Promise<void> {
  const marker = someone("marker");
  await linkFor(marker);
  await expect.poll(() => mailsTo(marker).length).toBe(1);
}

/** Makes waiting mails due, to keep the wait short. */
const hurry = () =>
  besides(service, (client) =>
    client.query(
      "update mails set next_try_at = now(), leased_until = null where status = 'queued'",
    ),
  );

test("a new link's mail reaches its payer once, with the address to pay at", async () => {
  const email = someone();
  const link = await linkFor(email, {
    title: "Bücher & Zeitungen",
    description: "<b>Zwei</b> Stück",
  });
  await expect.poll(() => mailsTo(email).length).toBe(1);
  const [{ to, mail }] = mailsTo(email) as [Delivery];
  expect(to).toEqual([email]);
  expect(mail.from?.value).toMatchObject([{ address: "bills@kutip.example" }]);
  expect(mail.subject).toContain(live.name);
  for (const text of [mail.text, String(mail.html).replaceAll("&amp;", "&")]) {
    expect(text).toContain(link.payment_url);
    expect(text).toContain("MYR 12.50");
    expect(text).toContain("Bücher & Zeitungen");
  }
  expect(mail.html).not.toContain("<b>Zwei</b>");
  expect(mail.html).not.toMatch(/<script|<img[^>]+http/i);
  await expect.poll(() => statesOf(live, link._id)).toEqual(["payment_link sent"]);
  await expectLaterMail();
  expect(mailsTo(email)).toHaveLength(1);
});

test("send_email false keeps it back; a PUT sends only when it says so", async () => {
  const [silent, told] = [someone(), someone()];
  const first = await linkFor(silent, { send_email: false });
  await live.api.ok("PUT", `/payment-links/${first._id}`, {
    ...linkInput,
    email: silent,
    send_email: undefined,
  });
  await live.api.ok("PUT", `/payment-links/${first._id}`, {
    ...linkInput,
    email: silent,
    send_email: false,
  });
  const second = await linkFor(told, { send_email: false });
  await live.api.ok("PUT", `/payment-links/${second._id}`, {
    ...linkInput,
    email: told,
    amount: 7_700,
    send_email: true,
  });
  await expect.poll(() => mailsTo(told).length).toBe(1);
  expect(mailsTo(told)[0]?.mail.text).toContain("MYR 77.00");
  await expectLaterMail();
  expect(mailsTo(silent)).toEqual([]);
});

test("after payment the payer gets a receipt, once", async () => {
  const email = someone();
  const link = await linkFor(email, { send_email: false });
  const id = newId();
  await withTransaction((tx) =>
    insertPayment(live.ctx, tx, {
      id,
      amount: link.amount,
      currency: link.currency,
      title: link.title,
      gateway: "simulator",
      paymentLinkId: link._id,
      linkVersion: 1,
    }),
  );
  const success = {
    kind: "succeeded",
    gatewayId: newId(),
    amount: link.amount,
    currency: link.currency,
    fee: 0,
  } as const;
  await Promise.all([settle(live.ctx, id, success), settle(live.ctx, id, success)]);
  expect((await live.api.ok<PaymentLink>("GET", `/payment-links/${link._id}`)).paid).toBe(true);
  await expect.poll(() => mailsTo(email).length).toBe(1);
  const [{ mail }] = mailsTo(email) as [Delivery];
  for (const text of ["MYR 12.50", link.title, "INV-77", id]) expect(mail.text).toContain(text);
  await expectLaterMail();
  expect(mailsTo(email)).toHaveLength(1);
});

test("a link deleted before its mail was written is not announced", async () => {
  const email = someone();
  await besides(service, async (client) => {
    // No event can be queued or consumed until the link is gone.
    const consume = "update event_queue set leased_until = null where consumer = 'mails'";
    await client.query(
      "create or replace function hold_mails() returns trigger language plpgsql as $$ begin if new.consumer = 'mails' then new.leased_until := now() + interval '1 hour'; end if; return new; end $$",
    );
    await client.query(
      "create trigger hold_mails before insert on event_queue for each row execute function hold_mails()",
    );
    try {
      const link = await linkFor(email);
      await live.api.ok("DELETE", `/payment-links/${link._id}`);
    } finally {
      await client.query("drop trigger hold_mails on event_queue");
      await client.query(consume);
    }
  });
  await expectLaterMail();
  expect(mailsTo(email)).toEqual([]);
});

test("a mail server that is down delays mails and nothing else", async () => {
  await stopMailServer();
  const email = someone();
  const link = await linkFor(email);
  await expect.poll(() => statesOf(live, link._id)).toEqual(["payment_link queued"]);
  await expect
    .poll(async () => (await mailsAbout(live.ctx, link._id))[0]?.tries)
    .toBeGreaterThan(0);
  expect((await live.api.ok<PaymentLink>("GET", `/payment-links/${link._id}`)).status).toBe(
    "Active",
  );
  expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
  await startMailServer();
  await hurry();
  await expect.poll(() => mailsTo(email).length).toBe(1);
  await expect.poll(() => statesOf(live, link._id)).toEqual(["payment_link sent"]);
});

test("a full mailbox is tried again, one that does not exist is not", async () => {
  const [full, nobody] = [await linkFor(someone("full")), await linkFor(someone("nobody"))];
  await expect.poll(() => statesOf(live, nobody._id)).toEqual(["payment_link failed"]);
  await expect.poll(async () => (await mailsAbout(live.ctx, full._id))[0]?.tries).toBe(1);
  await hurry();
  await expect.poll(async () => (await mailsAbout(live.ctx, full._id))[0]?.tries).toBe(2);
  expect(await statesOf(live, full._id)).toEqual(["payment_link queued"]);
  const [gaveUp] = await mailsAbout(live.ctx, nobody._id);
  expect([gaveUp?.nextTryAt, gaveUp?.error]).toEqual([
    null,
    expect.stringContaining("not for this mailbox"),
  ]);
});

test("an address that is more than one address gets nothing, however it came into a record", async () => {
  const before = delivered.length;
  const hostile = [
    "a@b.example, c@d.example",
    "a@b.example\r\nBcc: c@d.example",
    "Group: a@b.example;",
    "<a@b.example> c@d.example",
    '"a@b.example" <c@d.example>',
  ];
  const ids = await Promise.all(
    hostile.map(async (email) => {
      const values = { ...linkValues, email };
      return (
        await insertLink(live.ctx, {
          id: newId(),
          values,
          event: { id: newId(), data: { email }, mail: "payment_link" },
        })
      ).id;
    }),
  );
  for (const id of ids)
    await expect.poll(() => statesOf(live, id)).toEqual(["payment_link failed"]);
  expect(delivered.slice(before)).toEqual([]);
});

const linkValues = {
  currency: "MYR",
  amount: 1_250,
  title: "Kopi order 7",
  phoneNo: null,
  description: null,
  redirectUrl: null,
  reference: null,
  reference2: null,
  sendEmail: true,
  expiresAt: null,
  dueAt: null,
  reminders: null,
};

test("in test mode payers' mails stay in the outbox", async () => {
  const shop = await newShop(service.url);
  const email = someone();
  const link = await newLink(shop, { email, send_email: true });
  await expect.poll(() => statesOf(shop, link._id)).toEqual(["payment_link kept"]);
  expect(mailsTo(email)).toEqual([]);
});

test("the payer's mail is seen in the console as the payer sees it, and sent again with the same address; none where none was wanted", async ({
  page,
  audit,
}) => {
  const shop = await newShop(service.url);
  const staff = await newStaff(service);
  await joinShop(staff, shop);
  await signIn(page.context(), staff, service);
  const at = (id: string) => `${service.url}/b/${shop.id}/test/payment-links/${id}`;
  // In test mode only those who belong to the business get mail.
  const quiet = await newLink(shop, { title: "Quiet", email: staff.email, send_email: false });
  const told = await newLink(shop, { title: "Told", email: staff.email, send_email: true });
  await expect.poll(() => mailsTo(staff.email).length).toBe(1);

  await arrive(page, at(told._id), "Told");
  const mails = page.getByRole("list", { name: "Mails" });
  await expect(mails.getByText("Sent")).toBeVisible();
  await mails.getByRole("button", { name: "Preview" }).click();
  const frame = page.getByTitle("The mail as the payer sees it");
  await expect(frame).toHaveAttribute("sandbox", "");
  await expect(
    page.frameLocator('iframe[title="The mail as the payer sees it"]').getByRole("link").first(),
  ).toHaveAttribute("href", told.payment_url);
  await audit(page);
  await page.keyboard.press("Escape");
  await mails.getByRole("button", { name: "Resend" }).click();
  await expect(notice(page, `Mail to ${staff.email} is written`)).toBeVisible();
  await expect.poll(() => mailsTo(staff.email).length).toBe(2);
  const again = mailsTo(staff.email)[1]?.mail;
  expect(again?.text).toContain(told.payment_url);
  expect(again?.html).toContain(told.payment_url.replaceAll("&", "&amp;"));

  await page.goto(at(quiet._id));
  await expect(page.getByText("No mail about it.")).toBeVisible();
  expect(mailsTo(staff.email)).toHaveLength(2);
});
