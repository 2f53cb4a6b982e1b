import type { Actor } from "@/db/schema/events";
import {
  type Mail,
  type MailWithContent,
  subscriptionMailKinds,
  tokenMailKinds,
} from "@/lib/contract/mails";
import { newId } from "@/lib/kernel/ids";
import { unseal } from "@/lib/kernel/secrets";
import type { MailRow } from "./rows";

const mark = "resend";

/** The cause of a mail that repeats another one: each try is its own, and who asked for it stays known. */
export const resendCause = (mailId: string, by: Actor) =>
  [mark, mailId, newId(), by.kind, by.id ?? ""].join(":");

/** Reads a cause: which mail it repeats and who asked, or nothing of both where an event asked for the mail. */
export function causeOf(cause: string): { resentFrom: string | null; resentBy: Actor | null } {
  const [first, mailId, , kind, id] = cause.split(":");
  if (first !== mark || !mailId || !kind) return { resentFrom: null, resentBy: null };
  return { resentFrom: mailId, resentBy: { kind: kind as Actor["kind"], ...(id ? { id } : {}) } };
}

/** A mail as the dashboard lists it. */
export function presentMail(row: MailRow): Mail {
  const ofSubscription = subscriptionMailKinds.includes(row.kind);
  const ofToken = tokenMailKinds.includes(row.kind);
  return {
    _id: row.id,
    kind: row.kind,
    status: row.status,
    recipient: row.recipient,
    subject: row.subject,
    tries: row.tries,
    error: row.error,
    payment_link_id: ofSubscription || ofToken ? null : row.objectId,
    subscription_id: ofSubscription ? row.objectId : null,
    tokenization_id: ofToken ? row.objectId : null,
    resent_from: causeOf(row.cause).resentFrom,
    sent_at: row.sentAt,
    created_at: row.createdAt,
  };
}

/** The same with its content, unsealed. */
export function presentMailWithContent(row: MailRow): MailWithContent {
  return { ...presentMail(row), html: unseal(row.html, "mail"), text: unseal(row.text, "mail") };
}
