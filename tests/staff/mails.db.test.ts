import { SMTPServer } from "smtp-server";
import { simpleParser } from "mailparser";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import type { Mode } from "@/lib/contract/values";
import { mails } from "@/db/schema/mails";
import { defineMailSending } from "@/lib/flows/mailing/job";
import { insertMail, unscopedListMails } from "@/lib/domain/mails/rows";
import { addMember } from "@/lib/domain/users/create";
import { markVerified } from "@/lib/domain/users/rows";
import { signInRoute } from "@/lib/http/sign-in";
import { newId } from "@/lib/kernel/ids";
import { reset } from "@/lib/domain/limits/limits";
import { seal } from "@/lib/kernel/secrets";
import { createMailTransport, type MailTransport } from "@/lib/mail/transport";
import { call, someEmail, somePerson, someStaff } from "./person";
import { logged } from "../log-lines";
import { runAll } from "../run-once";

const received: string[] = [];
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData: (stream, _session, done) =>
    void simpleParser(stream).then((mail) => {
      received.push(...[mail.to ?? []].flat().map(({ text }) => text));
      done();
    }, done),
});
let transport: MailTransport;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.server.address();
  transport = createMailTransport(`smtp://127.0.0.1:${typeof at === "object" ? at?.port : 0}`);
});
afterAll(async () => {
  transport.close();
  await new Promise<void>((resolve) => server.close(resolve));
});

/** What becomes of a mail to an address, once the worker has sent all that is due of those businesses. */
async function sent(recipient: string): Promise<string | undefined> {
  const ofRecipient = () =>
    db
      .select({ businessId: mails.businessId, status: mails.status })
      .from(mails)
      .where(eq(mails.recipient, recipient));
  for (const businessId of new Set((await ofRecipient()).map((mail) => mail.businessId)))
    await runAll(defineMailSending(transport), businessId);
  const [row] = await ofRecipient();
  expect(received.includes(recipient)).toBe(row?.status === "sent");
  return row?.status;
}

/** Why a mail to an address was not sent. */
const reasonOf = async (recipient: string) =>
  (await db.select({ error: mails.error }).from(mails).where(eq(mails.recipient, recipient)))[0]
    ?.error;

async function payerMail(businessId: number, mode: Mode, recipient: string): Promise<void> {
  const id = newId();
  await insertMail(db, {
    id,
    businessId,
    mode,
    kind: "payment_link",
    cause: id,
    objectId: null,
    recipient,
    subject: "Pay",
    html: seal("<p>Pay</p>", "mail"),
    text: seal("Pay", "mail"),
  });
}

test("in test mode a mail goes to a member who has confirmed the address", async () => {
  const staff = await someStaff("viewer");
  await markVerified(db, staff.userId);
  await payerMail(staff.businessId, "test", staff.email);
  expect(await sent(staff.email)).toBe("sent");
});

test("in test mode a mail to a stranger stays in the outbox", async () => {
  const { businessId } = await someStaff();
  const stranger = someEmail();
  await payerMail(businessId, "test", stranger);
  expect(await sent(stranger)).toBe("kept");
  expect(await reasonOf(stranger)).toBe(
    "In test mode only team members with a confirmed address get mails.",
  );
});

test.for(["live", "test"] as const)(
  "without a mail server a mail in %s mode stays in the outbox, for that reason",
  async (mode) => {
    const { businessId } = await someStaff();
    const payer = someEmail();
    await payerMail(businessId, mode, payer);
    await runAll(defineMailSending(createMailTransport(null)), businessId);
    expect(await sent(payer)).toBe("kept");
    expect(await reasonOf(payer)).toBe("This install has no mail server.");
  },
);

test("in test mode a mail to a member who has not confirmed the address stays in the outbox", async () => {
  const { businessId } = await someStaff();
  const member = await somePerson(false);
  await addMember(businessId, member.userId, "staff");
  await payerMail(businessId, "test", member.email);
  expect(await sent(member.email)).toBe("kept");
});

test("in test mode a mail to another business's member stays in the outbox", async () => {
  const { businessId } = await someStaff();
  const other = await someStaff();
  await markVerified(db, other.userId);
  await payerMail(businessId, "test", other.email);
  expect(await sent(other.email)).toBe("kept");
});

test("in live mode a mail goes to the payer", async () => {
  const { businessId } = await someStaff();
  const payer = someEmail();
  await payerMail(businessId, "live", payer);
  expect(await sent(payer)).toBe("sent");
});

test("a mail server's refusal is kept with the mail, and its log line names no payer", async () => {
  const { businessId } = await someStaff();
  const payer = someEmail();
  const reason = `550 5.1.1 <${payer}>: Recipient address rejected`;
  const refusing: MailTransport = {
    send: async () => ({ kind: "permanent", reason }),
    close: () => undefined,
  };
  await payerMail(businessId, "live", payer);
  const lines = await logged(() => runAll(defineMailSending(refusing), businessId));
  expect(lines.filter((line) => line.includes("a mail was not sent"))).toHaveLength(1);
  expect(lines.join("")).toContain("550 5.1.1 <[address]>: Recipient address rejected");
  expect(lines.join("")).not.toContain(payer);
  expect(await reasonOf(payer)).toBe(reason);
});

test("an account mail goes out whatever the mode", async () => {
  const { email } = await somePerson();
  await call(signInRoute, "/auth/request-password-reset", { method: "POST", body: { email } });
  expect(await sent(email)).toBe("sent");
});

test("a payer's mails above the limit of a day wait in sight, are sent once afterwards, and others' go out", async () => {
  const { businessId } = await someStaff();
  const other = await someStaff();
  const payer = someEmail();
  const states = async () => {
    const rows = await db.select().from(mails).where(eq(mails.recipient, payer));
    return rows.map(({ status, tries }) => `${status} ${tries}`).sort();
  };
  for (let i = 0; i < 51; i++) await payerMail(businessId, "live", payer);
  await sent(payer);
  expect(await states()).toEqual([...Array<string>(50).fill("sent 1"), "waiting 0"]);
  const [waiting] = await db
    .select()
    .from(mails)
    .where(and(eq(mails.recipient, payer), eq(mails.status, "waiting")));
  expect(waiting?.nextTryAt).not.toBeNull();

  await payerMail(other.businessId, "live", payer);
  await sent(payer);
  expect((await states()).filter((state) => state === "sent 1")).toHaveLength(51);

  await reset("payer_mail_recipient", `${businessId}:${payer}`);
  await db
    .update(mails)
    .set({ nextTryAt: sql`now()` })
    .where(eq(mails.id, waiting?.id ?? ""));
  await sent(payer);
  expect(await states()).toEqual(Array<string>(52).fill("sent 1"));
  expect(received.filter((to) => to === payer)).toHaveLength(52);
});

test("the operator's list goes by the real time of writing, and gives account mails alone", async () => {
  const { businessId } = await someStaff();
  const { email } = await somePerson();
  await call(signInRoute, "/auth/request-password-reset", { method: "POST", body: { email } });
  const payer = someEmail();
  const id = newId(Date.now() - 60_000);
  await insertMail(db, {
    id,
    businessId,
    mode: "test",
    kind: "receipt",
    cause: id,
    objectId: null,
    recipient: payer,
    subject: "From a test clock far ahead",
    html: seal("", "mail"),
    text: seal("", "mail"),
    createdAt: "2099-01-01T00:00:00.000000Z",
  });
  const all = (await unscopedListMails(1_000, { accountOnly: false })).map(
    ({ recipient }) => recipient,
  );
  expect(all.indexOf(email)).toBeGreaterThanOrEqual(0);
  expect(all.indexOf(email)).toBeLessThan(all.indexOf(payer));
  const accountOnly = await unscopedListMails(1_000, { accountOnly: true });
  expect(accountOnly.map(({ recipient }) => recipient)).toContain(email);
  expect(
    accountOnly.every(
      ({ kind, businessId: of }) => of === NO_BUSINESS && kind.startsWith("account_"),
    ),
  ).toBe(true);
});
