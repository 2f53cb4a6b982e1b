import { withTransaction } from "@/db/client";
import { env } from "@/lib/env";
import { giveBack, take } from "@/lib/kernel/limits";
import { log } from "@/lib/kernel/log";
import { unseal } from "@/lib/kernel/secrets";
import type { MailTransport, SendOutcome } from "@/lib/mail/transport";
import { isVerifiedMember } from "../users/rows";
import { composeFor } from "./compose";
import {
  type MailRow,
  unscopedClaimMails,
  unscopedCloseMail,
  unscopedMailEvents,
  unscopedMoveCursor,
  unscopedPostponeMail,
} from "./rows";

/** Turns events that ask for a mail into rows of the outbox, each once: the rows and the place reached are one commit. Answers how many events. */
export async function collectMails(limit: number): Promise<number> {
  return withTransaction(async (tx) => {
    const found = await unscopedMailEvents(tx, limit);
    const last = found?.at(-1);
    if (!found || !last) return 0;
    for (const event of found) await composeFor(tx, event);
    await unscopedMoveCursor(tx, last);
    return found.length;
  });
}

const retrySeconds = [30, 120, 600, 3_600, 14_400, 43_200, 86_400];

/** Sends what is due; a mail server that is down delays mails and nothing else. Answers how many were tried. */
export async function sendMails(transport: MailTransport, limit: number): Promise<number> {
  const due = await unscopedClaimMails(limit);
  await Promise.all(due.map((mail) => sendOne(transport, mail)));
  return due.length;
}

async function sendOne(transport: MailTransport, mail: MailRow): Promise<void> {
  const outcome = await attempt(transport, mail).catch((error: unknown): SendOutcome => {
    if (!(error instanceof Unreadable)) throw error;
    log.error({ err: error.cause, mail: mail.id }, "a mail cannot be opened");
    return { kind: "permanent", reason: error.message };
  });
  switch (outcome.kind) {
    case "sent":
    case "kept":
      return unscopedCloseMail(mail.id, outcome.kind, null, null);
    case "waiting":
      return unscopedPostponeMail(mail.id, outcome.seconds);
    case "permanent":
      return unscopedCloseMail(mail.id, "failed", outcome.reason, null);
    default: {
      const wait = retrySeconds[mail.tries] ?? null;
      log.warn(
        { mail: mail.id, tries: mail.tries + 1, reason: outcome.reason },
        "a mail was not sent",
      );
      return unscopedCloseMail(
        mail.id,
        wait === null ? (outcome.kind === "unknown" ? "unknown" : "failed") : "queued",
        outcome.reason,
        wait,
      );
    }
  }
}

/** A mail that was sealed under another secret: it must not hold up the others of its batch. */
class Unreadable extends Error {}

function opened({ html, text }: MailRow): { html: string; text: string } {
  try {
    return { html: unseal(html, "mail"), text: unseal(text, "mail") };
  } catch (error) {
    throw new Unreadable("It was sealed under another KUTIP_SECRET.", { cause: error });
  }
}

/** Test mode never writes to strangers: only to members of the business who have proven their address; other mails stay in the outbox. */
async function attempt(
  transport: MailTransport,
  mail: MailRow,
): Promise<SendOutcome | { kind: "waiting"; seconds: number }> {
  if (
    mail.mode === "test" &&
    !(mail.businessId !== null && (await isVerifiedMember(mail.businessId, mail.recipient)))
  )
    return { kind: "kept" };
  const payer = mail.businessId === null ? undefined : `${mail.businessId}:${mail.recipient}`;
  const { allowed, retryAfterSeconds } = await take("payer_mail_recipient", payer);
  if (!allowed) return { kind: "waiting", seconds: retryAfterSeconds };
  const outcome = await transport.send({
    from: env.MAIL_FROM,
    to: { address: mail.recipient },
    subject: mail.subject,
    ...opened(mail),
    messageId: `<${mail.id}@${new URL(env.BASE_URL).hostname}>`,
  });
  if (outcome.kind !== "sent") await giveBack("payer_mail_recipient", payer);
  return outcome;
}
