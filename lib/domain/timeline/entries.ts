import type { Actor } from "@/db/columns";
import type { EventType } from "@/lib/contract/events";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { currentWords } from "../events/present";
import type { EventRow } from "../events/rows";
import { newestFirst, type Ordered } from "./order";
import { named } from "../actors/named";
import { causeOf } from "../mails/present";
import type { MailRow } from "../mails/rows";
import type { PaymentRow } from "../payments/rows";

/** An entry with an actor that has no name yet, and with what its order depends on. */
export type Draft = Omit<TimelineEntry, "actor"> & { actor: Actor } & Ordered;

const eventTitles: Record<EventType, string> = {
  "payment_link.created": "Created",
  "payment_link.updated": "Changed",
  "payment_link.deleted": "Deleted",
  "payment_link.paid": "Paid",
  "payment_link.expired": "Expired",
  "payment_link.cancelled": "Cancelled",
  "payment_link.reopened": "Reopened",
  "payment.succeeded": "Payment succeeded",
  "payment.failed": "Payment failed",
  "payment.refunded": "Payment refunded",
  "payment.disputed": "Payment disputed",
  "payment.flagged": "Payment flagged",
  "refund.failed": "Refund failed",
  "tokenization.created": "Created",
  "tokenization.activated": "Activated",
  "tokenization.updated": "Changed at the payment provider",
  "tokenization.revoked": "Revoked",
  "tokenization.expired": "Expired",
  "customer.created": "Customer created",
  "customer.updated": "Customer changed",
  "customer.link_moved": "A payment link went to another customer",
  "package.created": "Created",
  "package.updated": "Changed",
  "package.deleted": "Deleted",
  "subscription.created": "Created",
  "subscription.updated": "Changed",
  "subscription.activated": "Active",
  "subscription.past_due": "Past due",
  "subscription.halted": "Halted",
  "subscription.cancelled": "Cancelled",
  "subscription.deleted": "Deleted",
  "subscription.payment_due": "Payment due",
};

/** Every step of a dispute is the same event. */
const disputeTitles: Record<string, string> = { won: "Dispute won", lost: "Dispute lost" };

function titleOfEvent({ type }: EventRow, data: Record<string, unknown>): string {
  if (type === "payment.succeeded" && data.gateway === "manual") return "Payment recorded by hand";
  const dispute =
    type === "payment.disputed" ? disputeTitles[String(data.dispute_status)] : undefined;
  return dispute ?? eventTitles[type as EventType] ?? type;
}

const blank = { changes: [], event_id: null, payment_id: null, mail_id: null };
const because = (title: string, reason: string | null) => (reason ? `${title}: ${reason}` : title);

export function ofEvent(row: EventRow): Draft {
  const ofPayment = row.type.startsWith("payment.") || row.type.startsWith("refund.");
  const data = currentWords(row.data);
  const reason =
    (row.type === "payment.failed" || row.type === "refund.failed") &&
    typeof row.data.message === "string"
      ? row.data.message
      : null;
  return {
    ...blank,
    at: row.createdAt,
    kind: row.type,
    title: because(titleOfEvent(row, data), reason),
    actor: row.actor,
    event_id: row.id,
    seq: row.seq,
    payment_id: ofPayment ? row.objectId : null,
    changes: Object.entries(currentWords(row.previous ?? {})).map(([field, before]) => ({
      field,
      before,
      after: data[field] ?? null,
    })),
  };
}

/**
 * The steps of an attempt without events: the payer went to pay, the attempt was cancelled, or nothing is decided yet. When one was cancelled is not
 * known any more once another amount has come for it. That is an event.
 */
export function ofAttempt(row: PaymentRow): Draft[] {
  const entry = (at: string, state: string, title: string, actor: Actor): Draft => ({
    ...blank,
    at,
    kind: `attempt.${state}`,
    title,
    actor,
    payment_id: row.id,
  });
  const drafts: Draft[] = [];
  if (row.tokenizationId === null && row.method === null)
    drafts.push(entry(row.createdAt, "begun", "The payer went to pay", { kind: "payer" }));
  if (row.status === "cancelled" && !row.flags.includes("amount_mismatch"))
    drafts.push(
      entry(row.updatedAt, "cancelled", because("Attempt cancelled", row.message), {
        kind: "clock",
      }),
    );
  if (row.status === "pending")
    drafts.push(
      entry(row.updatedAt, "pending", because("Payment pending", row.message), {
        kind: "gateway",
        id: row.gateway,
      }),
    );
  if (row.status === "unknown")
    drafts.push(
      entry(row.updatedAt, "unknown", because("Outcome unknown", row.message), {
        kind: "gateway",
        id: row.gateway,
      }),
    );
  return drafts;
}

const mailTitles: Record<MailRow["status"], string> = {
  queued: "E-mail waits to be sent",
  waiting: "E-mail waits to be sent later",
  sent: "E-mail sent",
  kept: "E-mail kept back",
  failed: "E-mail not delivered",
  unknown: "E-mail perhaps delivered",
};

const titleOfMail = ({ kind, status, recipient }: MailRow) => {
  const title = `${mailTitles[status]} to ${recipient}`;
  return kind === "payment_reminder" ? title.replace("E-mail", "Reminder") : title;
};

/** A mail, attributed to the actor of its event or to the person who asked for it. */
export function ofMail(row: MailRow, events: readonly EventRow[]): Draft {
  const { askedBy } = causeOf(row.cause);
  const actor: Actor = askedBy ??
    events.find((event) => event.id === row.cause)?.actor ?? { kind: "clock" };
  return {
    ...blank,
    at: row.sentAt ?? row.createdAt,
    kind: `mail.${row.status}`,
    title: because(titleOfMail(row), row.error),
    actor,
    mail_id: row.id,
    cause: row.cause,
  };
}

export function ofOpening(at: string): Draft {
  return { ...blank, at, kind: "opened", title: "Opened by the payer", actor: { kind: "payer" } };
}

/** Newest first, actors named; an effect comes before its cause, also within one moment. */
export function finished(
  drafts: readonly Draft[],
  names: ReadonlyMap<string, string>,
  payer: string | null,
  limit: number,
): TimelineEntry[] {
  return newestFirst(drafts)
    .slice(0, limit)
    .map(({ seq: _, cause: __, ...entry }) => ({
      ...entry,
      actor: named(entry.actor, names, payer),
    }));
}
