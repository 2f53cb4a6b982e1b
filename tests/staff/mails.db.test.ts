import { SMTPServer } from "smtp-server";
import { simpleParser } from "mailparser";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/db/client";
import type { Mode } from "@/db/columns";
import { mails } from "@/db/schema/mails";
import { sendMails } from "@/lib/domain/mails/outbox";
import { insertMail } from "@/lib/domain/mails/rows";
import { addMember } from "@/lib/domain/users/create";
import { markVerified } from "@/lib/domain/users/rows";
import { signInRoute } from "@/lib/http/sign-in";
import { newId } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { createMailTransport, type MailTransport } from "@/lib/mail/transport";
import { call, someEmail, somePerson, someStaff } from "./person";

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

/** What becomes of a mail to an address, once the worker has sent all that is due. */
async function sent(recipient: string): Promise<string | undefined> {
  while ((await sendMails(transport, 50)) > 0);
  const [row] = await db
    .select({ status: mails.status })
    .from(mails)
    .where(eq(mails.recipient, recipient));
  expect(received.includes(recipient)).toBe(row?.status === "sent");
  return row?.status;
}

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
});

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

test("an account mail goes out whatever the mode", async () => {
  const { email } = await somePerson();
  await call(signInRoute, "/auth/request-password-reset", { method: "POST", body: { email } });
  expect(await sent(email)).toBe("sent");
});
