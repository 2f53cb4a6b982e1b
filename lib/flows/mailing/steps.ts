import { db } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import { askingMailKinds } from "@/lib/contract/mails";
import { systemCtx } from "@/lib/domain/context";
import { unscopedMarkMailed } from "@/lib/domain/payment-links/payer-rows";
import { isPayable } from "@/lib/domain/payment-links/rows";
import { env } from "@/lib/env";
import { giveBack, take } from "@/lib/domain/limits/limits";
import { log } from "@/lib/kernel/log";
import { counter } from "@/lib/kernel/metrics";
import type { MailTransport } from "@/lib/mail/transport";
import { isVerifiedMember } from "@/lib/domain/users/rows";
import { causeOf } from "@/lib/domain/mails/present";
import { contentOf, UnreadableMail } from "@/lib/domain/mails/content";
import { type MailRow, unscopedCloseMail, unscopedPostponeMail } from "@/lib/domain/mails/rows";
import { decide, type Try } from "./decide";

const attempts = counter(
  "kutip_mail_attempts_total",
  "Attempts to send a mail, by what came of them.",
  ["outcome"],
);

/** Sends one mail, or plans its next try; a mail server that is down delays mails and nothing else. */
export async function sendMail(transport: MailTransport, mail: MailRow): Promise<void> {
  const outcome = await attempt(transport, mail).catch((error: unknown): Try => {
    // It must not hold up the others of its batch.
    if (!(error instanceof UnreadableMail)) throw error;
    log.error({ err: error.cause, mail: mail.id }, "a mail cannot be opened");
    return { kind: "permanent", reason: error.message };
  });
  const decision = decide(outcome, mail.tries);
  attempts.inc({ outcome: "status" in decision ? decision.status : decision.kind });
  switch (decision.kind) {
    case "close":
      // Before the mail is closed: otherwise a crash in between would leave the link unmarked.
      if (decision.status === "sent" && mail.objectId && askingMailKinds.includes(mail.kind))
        await unscopedMarkMailed(mail.businessId, mail.objectId);
      return unscopedCloseMail(
        mail,
        decision.status,
        decision.status === "kept" ? decision.error : null,
        null,
      );
    case "postpone":
      return unscopedPostponeMail(mail, decision.seconds);
    case "fail":
      warn(mail, decision.error);
      return unscopedCloseMail(mail, decision.status, decision.error, null);
    case "retry":
      warn(mail, decision.error);
      return unscopedCloseMail(mail, "queued", decision.error, decision.seconds);
  }
}

const warn = (mail: MailRow, reason: string) =>
  log.warn({ mail: mail.id, tries: mail.tries + 1, reason }, "a mail was not sent");

const TEST_MODE = "In test mode only team members with a confirmed address get mails.";
const NOT_PAYABLE = "The payment link takes no money any more.";
const NO_SERVER = "This install has no mail server.";

/** Whether a mail asks for the payment of a link that takes no money any more: it may have waited in the outbox for hours. A mail that a job queued is judged at its own moment, since a test clock may have passed the expiry later. */
const asksInVain = async ({
  businessId,
  mode,
  id,
  kind,
  objectId,
  cause,
  createdAt,
}: MailRow): Promise<boolean> =>
  objectId !== null &&
  askingMailKinds.includes(kind) &&
  !(await isPayable(
    systemCtx({ businessId, mode: mode ?? "live" }, { kind: "clock" }, id),
    db,
    objectId,
    causeOf(cause).askedBy === null ? createdAt : undefined,
  ));

/** Test mode never writes to strangers: only to members of the business who have proven their address; other mails stay in the outbox. */
async function attempt(transport: MailTransport, mail: MailRow): Promise<Try> {
  if (mail.mode === "test" && !(await isVerifiedMember(mail.businessId, mail.recipient)))
    return { kind: "kept", reason: transport.keeps ? NO_SERVER : TEST_MODE };
  if (await asksInVain(mail)) return { kind: "kept", reason: NOT_PAYABLE };
  const content = await contentOf(mail);
  const payer =
    mail.businessId === NO_BUSINESS ? undefined : `${mail.businessId}:${mail.recipient}`;
  const { allowed, retryAfterSeconds } = await take("payer_mail_recipient", payer);
  if (!allowed) return { kind: "limited", seconds: retryAfterSeconds };
  const outcome = await transport.send({
    from: env.MAIL_FROM,
    to: { address: mail.recipient },
    subject: mail.subject,
    ...content,
    messageId: `<${mail.id}@${new URL(env.BASE_URL).hostname}>`,
  });
  if (outcome.kind !== "sent") await giveBack("payer_mail_recipient", payer);
  return outcome.kind === "kept" ? { kind: "kept", reason: NO_SERVER } : outcome;
}
