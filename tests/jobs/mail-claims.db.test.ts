import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { Mail } from "@/lib/contract/mails";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { take } from "@/lib/domain/limits/limits";
import { dueMails } from "@/lib/domain/mails/rows";
import { defineMailSending } from "@/lib/flows/mailing/job";
import { sendMail } from "@/lib/flows/mailing/steps";
import { ClaimLost } from "@/lib/jobs/claim-rows";
import type { MailTransport } from "@/lib/mail/transport";
import {
  data,
  keyCall,
  mailed,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "../dashboard/setting";
import { erasing, waitingForLocks } from "../erasure-setting";
import { claimOf, runAll } from "../run-once";

afterAll(closePool);

/** A link with a mail to its payer that is due. */
async function due(): Promise<{ office: Office; id: string }> {
  const office = await newOffice();
  const id = await newLink(office, { email: office.email, send_email: true });
  await mailed(id, 1);
  return { office, id };
}

const by = (send: MailTransport["send"]): MailTransport => ({ send, close: () => undefined });

/** Sends what waits of a business, as if its next try had come and no claim held it. */
async function send({ businessId }: Office, transport: MailTransport): Promise<void> {
  await pool().query(
    "update mails set next_try_at = now(), leased_until = null where business_id = $1 and next_try_at is not null",
    [businessId],
  );
  await runAll(defineMailSending(transport), businessId);
}

const listed = async (office: Office, query: string) =>
  data<{ data: Mail[] }>(await staffCall(office, "GET", `/mails?${query}`)).data;

/** A mail that the server has taken from a worker that was killed right after. */
async function taken() {
  const { office, id } = await due();
  let tries = 0;
  await send(
    office,
    by(() => {
      tries++;
      return Promise.reject(new Error("the worker is killed"));
    }),
  );
  expect(tries).toBe(1);
  return { office, id, mail: async () => (await listed(office, `payment_link_id=${id}`))[0] };
}

const never = by(async () => {
  throw new Error("nothing is sent");
});

test("a mail that the server took before the worker was killed may have arrived, though its link is paid by then", async () => {
  const { office, id, mail } = await taken();
  await pay(office, id);
  await send(office, never);
  expect(await mail()).toMatchObject({
    status: "unknown",
    error: "The payment link takes no money any more.",
  });
});

test("a mail that the server took before the worker was killed may have arrived, though a second copy is refused", async () => {
  const { office, mail } = await taken();
  await send(
    office,
    by(async () => ({ kind: "permanent", reason: "550 no" })),
  );
  expect(await mail()).toMatchObject({ status: "unknown", error: "550 no" });
});

test("a mail that the server took before the worker was killed may have arrived, and says so while its recipient's limit holds it back", async () => {
  const { office, mail } = await taken();
  const recipient = `${office.businessId}:${office.email}`;
  while ((await take("payer_mail_recipient", recipient)).allowed);
  await send(office, never);
  expect(await mail()).toMatchObject({
    status: "unknown",
    error: expect.stringContaining("The worker was stopped"),
    resendable: false,
  });
});

test("a mail that the server took before the worker was killed is sent once the server takes it again", async () => {
  const { office, mail } = await taken();
  await send(
    office,
    by(async () => ({ kind: "sent" })),
  );
  expect(await mail()).toMatchObject({ status: "sent", error: null });
});

test("while a mail is handed to the server for the first time everyone reads that it waits", async () => {
  const { office, id } = await due();
  const read: unknown[] = [];
  await send(
    office,
    by(async () => {
      const [one] = await listed(office, `payment_link_id=${id}`);
      const timeline = data<TimelineEntry[]>(
        await staffCall(office, "GET", `/payment-links/${id}/timeline`),
      );
      const found = await Promise.all(
        ["queued", "unknown"].map((status) => listed(office, `status=${status}`)),
      );
      read.push(
        data<Mail>(await staffCall(office, "GET", `/mails/${one?._id}`)).status,
        timeline.find(({ mail_id }) => mail_id !== null)?.kind,
        ...found.map(({ length }) => length),
      );
      return { kind: "unknown", reason: "The connection was lost." };
    }),
  );
  expect(read).toEqual(["queued", "mail.queued", 1, 0]);
  expect(await listed(office, "status=unknown")).toMatchObject([{ status: "unknown" }]);
});

test("a mail whose answer was lost keeps its Message-ID while it says the same, and has another once its link asks for more", async () => {
  const { office, id } = await due();
  const ids: string[] = [];
  const lost = by(async ({ messageId }) => {
    ids.push(messageId);
    return { kind: "unknown", reason: "The connection was lost." };
  });
  await send(office, lost);
  await send(office, lost);
  const stored = data(await keyCall(office, "GET", `/payment-links/${id}`));
  data(await keyCall(office, "PUT", `/payment-links/${id}`, { ...stored, amount: 9_900 }));
  await send(office, lost);
  const [first, copy, changed] = ids;
  expect(copy).toBe(first);
  expect(changed).not.toBe(first);
  expect(changed?.slice(0, 25)).toBe(first?.slice(0, 25));
});

test("a mail that was opened before its payer was erased is not sent after it", async () => {
  const { office, id } = await due();
  await pay(office, id);
  await mailed(id, 2);
  const claimed = await claimOf(dueMails, office.businessId);
  const mail = claimed.find(({ kind }) => kind === "receipt");
  if (!mail) throw new Error("no mail");
  const { commit, done } = await erasing(office.businessId, office.email);
  const sent: string[] = [];
  const sending = sendMail(
    by(async ({ subject }) => {
      sent.push(subject);
      return { kind: "sent" };
    }),
    mail,
  ).catch((error: unknown) => error);
  await expect.poll(async () => sent.length + (await waitingForLocks())).toBeGreaterThan(0);
  commit();
  await done;
  expect(await sending).toBeInstanceOf(ClaimLost);
  expect(sent).toEqual([]);
});
