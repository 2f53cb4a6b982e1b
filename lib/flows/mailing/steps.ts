import { db } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import { askingMailKinds } from "@/lib/contract/mails";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { takesMoney } from "@/lib/domain/gateway-connections/connected";
import { unscopedMarkMailed } from "@/lib/domain/payment-links/payer-rows";
import { ERASED_TEXT, normalAddress } from "@/lib/domain/payers/rules";
import { payerOfLink } from "@/lib/domain/payment-links/rows";
import { hasKeptMoneyAfter } from "@/lib/domain/payments/kind-rows";
import { env } from "@/lib/env";
import { giveBack, take } from "@/lib/domain/limits/limits";
import { writeOutcome } from "@/lib/jobs/outcome";
import { log } from "@/lib/kernel/log";
import { counter } from "@/lib/kernel/metrics";
import { digest } from "@/lib/kernel/secrets";
import type { MailTransport } from "@/lib/mail/transport";
import { isVerifiedMember } from "@/lib/domain/users/rows";
import { causeOf } from "@/lib/domain/mails/present";
import { linkContentNow } from "@/lib/domain/mails/compose";
import { contentOf, UnreadableMail } from "@/lib/domain/mails/content";
import {
  type MailRow,
  unscopedBeginTry,
  unscopedCloseMail,
  unscopedPostponeMail,
  unscopedRewriteMail,
} from "@/lib/domain/mails/rows";
import { isLinkMail } from "@/lib/domain/mails/rules";
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
  const decision = decide(outcome, mail.tries, mail.status === "unknown");
  attempts.inc({ outcome: "status" in decision ? decision.status : decision.kind });
  switch (decision.kind) {
    case "close":
      // Before the mail is closed: otherwise a crash in between would leave the link unmarked.
      if (decision.status === "sent") await markMailed(mail);
      return close(mail, decision.status, "error" in decision ? decision.error : null, null);
    case "postpone":
      return unscopedPostponeMail(mail, decision.seconds);
    case "fail":
      warn(mail, decision.error);
      return close(mail, decision.status, decision.error, null);
    case "retry":
      warn(mail, decision.error);
      return close(
        mail,
        decision.maybeSent ? "unknown" : "queued",
        decision.error,
        decision.seconds,
      );
  }
}

const close = (...outcome: Parameters<typeof unscopedCloseMail>) =>
  writeOutcome(() => unscopedCloseMail(...outcome));

/** Notes on a link that its payer was mailed. The mail is closed also where that fails, or it would be sent again. */
async function markMailed({ businessId, kind, objectId }: MailRow): Promise<void> {
  if (objectId === null || !askingMailKinds.includes(kind)) return;
  await writeOutcome(() => unscopedMarkMailed(businessId, objectId)).catch((error: unknown) =>
    log.error({ err: error, link: objectId }, "a link was not marked as mailed"),
  );
}

const warn = (mail: MailRow, reason: string) =>
  log.warn({ mail: mail.id, tries: mail.tries + 1, reason }, "a mail was not sent");

const TEST_MODE = "In test mode only team members with a confirmed address get mails.";
const NOT_PAYABLE = "The payment link takes no money any more.";
const PAID_MEANWHILE = "The payer has paid meanwhile, and the money was not refunded.";
const OTHER_PAYER = "The payment link has another payer now.";
const ERASED = "Its content was erased with a payer.";
const NO_SERVER = "This install has no mail server.";

const ctxOf = ({ businessId, mode, id }: MailRow): Ctx =>
  systemCtx({ businessId, mode: mode ?? "live" }, { kind: "clock" }, id);

const kept = (reason: string): Try => ({ kind: "kept", reason });

/** How long a mail waits for a payment under way, or for a gateway, before it is looked at again. */
const LOOK_SECONDS = 600;
const held: Try = { kind: "held", seconds: LOOK_SECONDS };

/**
 * Why a mail asks for a payment in vain, and else the mail, which says what its link says now: it may have waited in the outbox for hours. A
 * mail that a job queued is judged at its own moment, since a test clock may have passed the expiry later.
 */
async function asked(mail: MailRow): Promise<MailRow | Try> {
  const { kind, objectId, cause, createdAt } = mail;
  if (objectId === null || !askingMailKinds.includes(kind)) return mail;
  const ctx = ctxOf(mail);
  const isOfStaff = causeOf(cause).askedBy !== null;
  const link = await payerOfLink(ctx, db, objectId, isOfStaff ? undefined : createdAt);
  // The link asks again where the payment under way fails. A failed charge has its next try by then, with a mail of its own.
  if (link?.isProcessing && kind !== "payment_failed") return held;
  if (!link?.payable) return kept(NOT_PAYABLE);
  // Money from before the mail does not count: reminders and batches have looked at it, and staff may ask for more on purpose.
  const since = { linkId: objectId, moment: createdAt, isReal: isOfStaff };
  if (await hasKeptMoneyAfter(ctx, db, since)) return kept(PAID_MEANWHILE);
  if (normalAddress(link.email) !== normalAddress(mail.recipient)) return kept(OTHER_PAYER);
  // A gateway may be replaced just now.
  if (!(await takesMoney(ctx))) return held;
  const isOlder =
    link.changedAt !== null && Date.parse(link.changedAt) >= Date.parse(mail.createdAt);
  return isOlder ? rewritten(mail) : mail;
}

/** A mail that asks the payer of a link to pay, as the link is now; any other mail as it is. */
async function rewritten(mail: MailRow): Promise<MailRow> {
  const { kind, objectId } = mail;
  if (objectId === null || !isLinkMail(kind)) return mail;
  const now = { ...mail, ...(await linkContentNow(ctxOf(mail), objectId, kind)) };
  await unscopedRewriteMail(mail, now);
  return now;
}

/** Test mode never writes to strangers: only to members of the business who have proven their address; other mails stay in the outbox. */
async function attempt(transport: MailTransport, queued: MailRow): Promise<Try> {
  if (queued.mode === "test" && !(await isVerifiedMember(queued.businessId, queued.recipient)))
    return kept(transport.keeps ? NO_SERVER : TEST_MODE);
  const due = await asked(queued);
  if (!("id" in due)) return due;
  let mail = due;
  let content = await contentOf(mail);
  if (content.text === ERASED_TEXT) {
    // An erasure empties the mails of other payers that named the erased one.
    mail = await rewritten(mail);
    content = await contentOf(mail);
  }
  if (content.text === ERASED_TEXT) return kept(ERASED);
  const payer =
    mail.businessId === NO_BUSINESS
      ? undefined
      : `${mail.businessId}:${normalAddress(mail.recipient)}`;
  const { allowed, retryAfterSeconds } = await take("payer_mail_recipient", payer);
  if (!allowed) return { kind: "held", seconds: retryAfterSeconds };
  if (!transport.keeps) await unscopedBeginTry(mail);
  const outcome = await transport.send({
    from: env.MAIL_FROM,
    to: { address: mail.recipient },
    subject: mail.subject,
    ...content,
    // Another one once the mail says something else, or a mailbox that has a copy would drop it.
    messageId: `<${mail.id}.${digest(content.text).slice(0, 12)}@${new URL(env.BASE_URL).hostname}>`,
  });
  if (outcome.kind !== "sent") await giveBack("payer_mail_recipient", payer);
  return outcome.kind === "kept" ? { kind: "kept", reason: NO_SERVER } : outcome;
}
