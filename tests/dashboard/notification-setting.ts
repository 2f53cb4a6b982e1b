import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { closePool, db, pool } from "@/db/client";
import type { NotificationSettings } from "@/lib/contract/notifications";
import { addMember } from "@/lib/domain/users/create";
import { provideEnv } from "@/lib/env";
import { defineNotificationSending, notificationFanOut } from "@/lib/flows/notifying/job";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { createMailTransport, type MailTransport } from "@/lib/mail/transport";
import { api } from "../contract/setting";
import { runAll } from "../run-once";
import { as, type Person, somePerson } from "../staff/person";
import { answer, newReceiver, type Receiver } from "../webhooks/receiver";
import { connectLive, data, link, newOffice, type Office, staffCall } from "./setting";

/** What the receivers of a file's tests got: a chat for each test, one mail server for all. */
export type Received = {
  chat: Receiver;
  said: () => string[];
  mailsTo: (email: string) => ParsedMail[];
  /** A job that sends to them. */
  sending: () => ReturnType<typeof defineNotificationSending>;
  /** Everything that waits for a business is due, queued and sent. */
  work: (office: Office, job?: ReturnType<typeof defineNotificationSending>) => Promise<void>;
};

/** Opens a real chat and a real mail server for the tests of a file. */
export function receivers(): Received {
  let mail: MailTransport;
  let smtp: SMTPServer;
  const mails: ParsedMail[] = [];
  const sending = () =>
    defineNotificationSending({
      mail,
      chat: createSender({ allowPrivate: true, deadlineMs: 2_000 }),
    });
  const received: Received = {
    chat: undefined as never,
    said: () =>
      received.chat.received.map(({ body }) => (JSON.parse(body) as { text: string }).text),
    mailsTo: (email) => mails.filter(({ to }) => [to].flat()[0]?.text === email),
    sending,
    work: async ({ businessId }, job = sending()) => {
      await runAll(notificationFanOut, businessId);
      await pool().query(
        "update notifications set next_try_at = now() where business_id = $1 and next_try_at is not null",
        [businessId],
      );
      await runAll(job, businessId);
    },
  };
  beforeAll(async () => {
    smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData(stream, _session, done) {
        simpleParser(stream).then((one) => {
          mails.push(one);
          done();
        }, done);
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
    const { port } = smtp.server.address() as AddressInfo;
    mail = createMailTransport(`smtp://127.0.0.1:${port}?ignoreTLS=true`);
  });
  beforeEach(async () => {
    provideEnv({ WEBHOOK_ALLOW_PRIVATE: "true" });
    received.chat = await newReceiver(answer(200, "ok"));
  });
  afterEach(async () => {
    provideEnv({ WEBHOOK_ALLOW_PRIVATE: "", SMTP_URL: "" });
    await received.chat.close();
  });
  afterAll(async () => {
    mail.close();
    smtp.close();
    await closePool();
  });
  return received;
}

/** An office with a gateway in live mode. */
export async function newLiveOffice(): Promise<Office> {
  const office = await newOffice();
  await connectLive(office);
  return office;
}

/** Money of a new link arrives in live mode. */
export async function arrive(
  { liveKey: key }: Office,
  { title = "Satay for two", email = "ana@example.com", amount = 1_250 } = {},
): Promise<void> {
  const body = link({ title, email, amount });
  const { _id } = data<{ _id: string }>(await api("POST", "/payment-links", { key, body }));
  const paid = { key, body: { method: "cash" } };
  data(await api("POST", `/payment-links/${_id}/payments`, paid));
}

export const save = async (
  office: Office,
  body: Record<string, unknown>,
  headers = office.headers,
): Promise<NotificationSettings> =>
  data(
    await staffCall(
      office,
      "PUT",
      "/notification-settings",
      { mail: [], chat: [], ...body },
      headers,
    ),
  );
export const settingsOf = async (
  office: Office,
  headers = office.headers,
): Promise<NotificationSettings> =>
  data(await staffCall(office, "GET", "/notification-settings", undefined, headers));

export const queued = async ({ businessId }: Office, consumer = "notifications") =>
  (
    await pool().query<{ n: number }>(
      "select count(*)::int as n from event_queue where business_id = $1 and consumer = $2",
      [businessId, consumer],
    )
  ).rows[0]?.n;
export const rowsOf = async ({ businessId }: Office) =>
  (
    await pool().query<{
      user_id: string;
      channel: string;
      event_ids: string[];
      status: string;
      tries: number;
      next_try_at: Date | null;
    }>("select * from notifications where business_id = $1 order by created_at", [businessId])
  ).rows;

export async function colleague(
  office: Office,
  verified = true,
): Promise<Person & { headers: Record<string, string> }> {
  const person = await somePerson(verified);
  await addMember(office.businessId, person.userId, "viewer", db, !verified);
  return { ...person, headers: as({ ...person, businessId: office.businessId }) };
}
