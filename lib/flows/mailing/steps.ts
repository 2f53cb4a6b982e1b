import { NO_BUSINESS } from "@/db/columns";
import { env } from "@/lib/env";
import { giveBack, take } from "@/lib/kernel/limits";
import { log } from "@/lib/kernel/log";
import { unseal } from "@/lib/kernel/secrets";
import type { MailTransport, SendOutcome } from "@/lib/mail/transport";
import { isVerifiedMember } from "@/lib/domain/users/rows";
import { type MailRow, unscopedCloseMail, unscopedPostponeMail } from "@/lib/domain/mails/rows";

const retrySeconds = [30, 120, 600, 3_600, 14_400, 43_200, 86_400];

/** Sends one mail, or plans its next try; a mail server that is down delays mails and nothing else. */
export async function sendMail(transport: MailTransport, mail: MailRow): Promise<void> {
  const outcome = await attempt(transport, mail).catch((error: unknown): SendOutcome => {
    if (!(error instanceof Unreadable)) throw error;
    log.error({ err: error.cause, mail: mail.id }, "a mail cannot be opened");
    return { kind: "permanent", reason: error.message };
  });
  switch (outcome.kind) {
    case "sent":
    case "kept":
      return unscopedCloseMail(mail, outcome.kind, null, null);
    case "waiting":
      return unscopedPostponeMail(mail, outcome.seconds);
    case "permanent":
      return unscopedCloseMail(mail, "failed", outcome.reason, null);
    default: {
      const wait = retrySeconds[mail.tries] ?? null;
      log.warn(
        { mail: mail.id, tries: mail.tries + 1, reason: outcome.reason },
        "a mail was not sent",
      );
      return unscopedCloseMail(
        mail,
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
  if (mail.mode === "test" && !(await isVerifiedMember(mail.businessId, mail.recipient)))
    return { kind: "kept" };
  const payer =
    mail.businessId === NO_BUSINESS ? undefined : `${mail.businessId}:${mail.recipient}`;
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
