import type { Actor } from "@/db/columns";
import { type Mail, subscriptionMailKinds, tokenMailKinds } from "@/lib/contract/mails";
import { newId } from "@/lib/kernel/ids";
import type { MailWithLink } from "./rows";
import { refusalOf } from "./rules";

const byOf = (actor: Actor) => [newId(), actor.kind, actor.id ?? ""];

/** The cause of a resent mail. Each resend is a new mail and keeps who asked for it. */
export const resendCause = (mailId: string, by: Actor) => ["resend", mailId, ...byOf(by)].join(":");

/** The cause of a mail that a person asked for, without an event. */
export const sendCause = (by: Actor) => ["send", ...byOf(by)].join(":");

/** The cause of a reminder that a link's schedule asked for. */
export const reminderCause = () => `reminder:${newId()}`;

/** Parses a cause: the repeated mail and who asked for it. Both are null when an event caused the mail. */
export function causeOf(cause: string): { resentFrom: string | null; askedBy: Actor | null } {
  const [verb, ...parts] = cause.split(":");
  const [resentFrom = null, , kind, id] = verb === "send" ? [null, ...parts] : parts;
  if ((verb !== "send" && verb !== "resend") || !kind) return { resentFrom: null, askedBy: null };
  return { resentFrom, askedBy: { kind: kind as Actor["kind"], ...(id ? { id } : {}) } };
}

/** A mail as the dashboard lists it; `isLost`: sending its content again would say nothing. */
export function presentMail(row: MailWithLink & { isLost?: boolean }): Mail {
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
    resendable: refusalOf(row) === null && !row.isLost,
    sent_at: row.sentAt,
    created_at: row.createdAt,
  };
}
