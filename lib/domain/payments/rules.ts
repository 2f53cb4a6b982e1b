import type { LinkStatus } from "@/lib/contract/values";
import {
  liveStatuses,
  type PaymentStatus,
  type RefundStatus,
  resolvableAfterHours,
} from "@/lib/contract/values";
import type { FindAnswer, Hint } from "@/lib/gateways/gateway";
import { isoOf } from "@/lib/kernel/clock";

/** The statuses that may follow each status of a payment. */
const transitions: Record<PaymentStatus, readonly PaymentStatus[]> = {
  submitting: ["requires_action", "pending", "unknown", "succeeded", "failed", "cancelled"],
  requires_action: ["pending", "unknown", "succeeded", "failed", "cancelled"],
  // A bank that declines leaves the page open for another try.
  pending: ["requires_action", "unknown", "succeeded", "failed", "cancelled"],
  unknown: ["requires_action", "pending", "succeeded", "failed", "cancelled"],
  // The gateway's word that money moved after all outweighs what we had concluded.
  failed: ["succeeded"],
  cancelled: ["succeeded"],
  succeeded: ["partially_refunded", "refunded", "disputed"],
  partially_refunded: ["partially_refunded", "refunded", "disputed"],
  refunded: ["disputed"],
  disputed: ["succeeded", "partially_refunded", "refunded"],
};

export const canTransition = (from: PaymentStatus, to: PaymentStatus) =>
  transitions[from].includes(to);

/** Not over yet: holds its link, and the reconciler looks after it. */
export const isLive = (status: PaymentStatus) =>
  (liveStatuses as readonly PaymentStatus[]).includes(status);

/** Over without money, as far as we know: only the gateway's word can say otherwise. */
export const isOver = (status: PaymentStatus) => status === "failed" || status === "cancelled";

/** A worker has written the attempt down and not yet its outcome. Another one looks it up if that worker dies. */
export const isBeingSent = ({
  status,
  leasedBy,
  leasedUntil,
}: {
  status: PaymentStatus;
  leasedBy: string | null;
  leasedUntil: string | null;
}) => status === "submitting" && leasedBy !== null && leasedUntil !== null;

/** Whether the gateway's id may be missing from the row: a restored backup lacks what was committed after it. `restoredAt`: of the last restore. */
export const mayLackId = (
  { gatewayId, startedAt }: { gatewayId: string | null; startedAt: string },
  restoredAt: string | null,
): boolean => !gatewayId && restoredAt !== null && Date.parse(startedAt) <= Date.parse(restoredAt);

/** The gateway took another amount than was asked, and staff have not resolved it yet. */
export const isSetAside = ({
  flags,
  succeededAt,
}: {
  flags: readonly string[];
  succeededAt: string | null;
}) => flags.includes("amount_mismatch") && !flags.includes("resolved") && succeededAt === null;

/** Staff ended it without the gateway's word, and no money came after that. */
export const isResolved = ({
  flags,
  succeededAt,
}: {
  flags: readonly string[];
  succeededAt: string | null;
}) => flags.includes("resolved") && succeededAt === null;

/** What is known of the silence about an attempt or a refund. Without `unknownSince` it counts from the last time that it was sent. */
type Silence = {
  status: PaymentStatus | RefundStatus;
  startedAt: string;
  unknownSince: string | null;
};

const MINUTE_MS = 60_000;

const minutesSince = (moment: string, now: number) => (now - Date.parse(moment)) / MINUTE_MS;

/**
 * From when on staff may end what has no answer: the gateway has been silent for a day, and no request can be on its way any more. Null unless it is
 * unknown.
 */
export function resolvableAt({ status, startedAt, unknownSince }: Silence): string | null {
  if (status !== "unknown") return null;
  const silent = Date.parse(unknownSince ?? startedAt) + resolvableAfterHours * 60 * MINUTE_MS;
  const arrived = Date.parse(startedAt) + safeAbsenceMinutes * MINUTE_MS;
  return isoOf(new Date(Math.max(silent, arrived)));
}

/** Whether staff may end it now. `now` in milliseconds. */
export function isUnanswered(silence: Silence, now: number): boolean {
  const from = resolvableAt(silence);
  return from !== null && now >= Date.parse(from);
}

/** Each time that it is sent, staff have to wait before they can end it. */
const RESEND_MINUTES = 60;

/**
 * Whether what has no answer may be sent again now: once an hour as soon as staff may end it, so that they can. This begins a little earlier: a request
 * that was sent just before would still be on its way. `now` in milliseconds.
 */
export const maySendAgain = ({ status, startedAt, unknownSince }: Silence, now: number) =>
  status !== "unknown" ||
  minutesSince(unknownSince ?? startedAt, now) < resolvableAfterHours * 60 - safeAbsenceMinutes ||
  minutesSince(startedAt, now) >= RESEND_MINUTES;

/** Flags of money that came for something that was over without it. */
export const uncountedFlags = ["late", "duplicate"] as const;

/** Whether the money of a payment pays what it was for. A mismatch that was flagged before does not matter once the right amount has come. */
export const countsAsPaid = ({
  flags,
  succeededAt,
}: {
  flags: readonly string[];
  succeededAt: string | null;
}) => succeededAt !== null && !uncountedFlags.some((flag) => flags.includes(flag));

/** Taken, and the gateway has not said yet what it keeps for itself. */
export const awaitsFee = (payment: { succeededAt: string | null; nextCheckAt: string | null }) =>
  payment.succeededAt !== null && payment.nextCheckAt !== null;

/**
 * What helps a gateway to find an attempt again. An id from a callback is used only when we stored none, or when the payment already ended without
 * money. While a mismatch is set aside, the stored one is of the wrong amount.
 */
export function hintOf(
  payment: Parameters<typeof isSetAside>[0] & {
    status: PaymentStatus;
    gatewayId: string | null;
    startedAt: string;
  },
  hint?: string | null,
): Hint {
  const helps = hint && (!payment.gatewayId || isOver(payment.status) || isSetAside(payment));
  return {
    gatewayId: payment.gatewayId || null,
    since: payment.startedAt,
    ...(helps ? { fromCallback: hint } : {}),
  };
}

/** Why an attempt, or the last try on its open page, was declined, for the payer. Null when the gateway never began it: its reason is for staff then. */
export const declineOf = ({
  gatewayId,
  message,
}: {
  gatewayId: string | null;
  message: string | null;
}): string | null => (gatewayId ? message : null);

/** The gateway name of payments that were recorded manually. */
export const MANUAL_GATEWAY = "manual";

/** An open page is looked up, cancelled at the gateway and released after this. */
export const abandonedAfterMinutes = 30;

/** Nothing found at the gateway proves nothing before this; longer than any request to it may travel. */
export const safeAbsenceMinutes = 15;

/** Seconds until the reconciler's next look, by how often it has looked. */
export function nextCheckSeconds(checks: number): number {
  return [2, 3, 5, 10, 20, 30, 60, 120, 300][checks] ?? 600;
}

/** Seconds until the next look at a payer's open page: money is noticed within 3 minutes when neither payer nor callback comes back. */
export const pageCheckSeconds = (checks: number): number => [60, 120][checks] ?? 180;

/** What an answer of the gateway makes of a payment. `null`: nothing is known that is not written already. */
export function statusOf(answer: FindAnswer): PaymentStatus | null {
  switch (answer.kind) {
    case "succeeded":
    case "failed":
    case "pending":
    case "unknown":
    case "cancelled":
      return answer.kind;
    case "open":
      return "requires_action";
    case "saved":
    case "prepared":
    case "nothing":
      return null;
  }
}

/** The status of the link that follows from the payment's; undefined leaves it. `withdrawn`: its subscription ended meanwhile. */
export function linkStatusFor(
  payment: PaymentStatus,
  link: LinkStatus,
  withdrawn: boolean,
): LinkStatus | undefined {
  if (payment === "pending" || payment === "unknown")
    return link === "Active" ? "Processing" : undefined;
  if (link === "Processing" && payment !== "succeeded") return withdrawn ? "Cancelled" : "Active";
  if (link === "Processing") return "Paid";
  if (link === "Active" && payment === "succeeded") return "Paid";
  return undefined;
}

type Money = { amount: number; currency: string };

/** Why money that arrived is not what the link is for; undefined when all is well. A link may ask for another amount since the attempt began. */
export function flagFor(
  link: Money & { status: LinkStatus; deletedAt: string | null },
  { amount, currency }: Money,
): "duplicate" | "late" | undefined {
  if (link.status === "Paid") return "duplicate";
  const isOther = link.amount !== amount || link.currency !== currency;
  return isOther || link.deletedAt || link.status === "Cancelled" || link.status === "Expired"
    ? "late"
    : undefined;
}
