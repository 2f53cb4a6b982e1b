import { createHash } from "node:crypto";
import type { Callback, Connection, Money } from "../gateway";
import { isSigned } from "./keys";
import { CallbackBody, CallbackEvent } from "./shapes";

/**
 * A callback as CHIP has signed it, over the bytes as they came; null for anything else. It names no time, so an old one is found only by its id: the
 * digest of its bytes, which a repeat has too.
 */
export async function verifyCallback(
  connection: Connection,
  raw: Uint8Array,
  headers: Headers,
): Promise<Callback | null> {
  if (!(await isSigned(connection, raw, headers.get("x-signature")))) return null;
  const sent = parsed(raw);
  const body = CallbackBody.safeParse(sent);
  if (body.success) return readBody(body.data, raw);
  const event = CallbackEvent.safeParse(sent);
  return event.success && aboutOf(event.data.event_type) === "nothing"
    ? { eventId: idOf(raw), type: event.data.event_type, about: "nothing", reference: "" }
    : null;
}

const idOf = (raw: Uint8Array): string => createHash("sha256").update(raw).digest("hex");

function parsed(raw: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw));
  } catch {
    return undefined;
  }
}

function readBody(body: CallbackBody, raw: Uint8Array): Callback {
  const { event_type: type } = body;
  const disputeChange = disputeChanges.get(type);
  const purchaseId =
    body.related_to?.type === "purchase" ? body.related_to.id : isPayment(type) ? null : body.id;
  const reference = body.reference ?? "";
  return {
    eventId: idOf(raw),
    type,
    about: reference === "" && purchaseId === null ? "nothing" : aboutOf(type),
    ...(disputeChange ? { disputeChange } : {}),
    reference,
    gatewayId: purchaseId,
    claims: {
      mode: body.is_test ? "test" : "live",
      account: body.brand_id ?? null,
      money: claimedMoney(body),
    },
  };
}

/** Events about a payment object; all others are about a purchase. */
const isPayment = (type: string) => type.startsWith("payment.");

const disputeChanges = new Map<string, Callback["disputeChange"]>([
  ["payment.charged_back", "withdrawn"],
  ["payment.chargeback_reversed", "reinstated"],
]);

const refunds = new Set(["payment.refunded", "purchase.pending_refund", "purchase.refund_failure"]);
const payments = new Set([
  "purchase.paid",
  "purchase.captured",
  "purchase.hold",
  "purchase.released",
  "purchase.cancelled",
  "purchase.preauthorized",
  "purchase.pending_execute",
  "purchase.pending_charge",
  "purchase.pending_capture",
  "purchase.payment_failure",
  // The fee may be known then.
  "purchase.settled",
]);

function aboutOf(type: string): Callback["about"] {
  if (disputeChanges.has(type)) return "dispute";
  if (refunds.has(type)) return "refund";
  return payments.has(type) ? "payment" : "nothing";
}

/** What a callback says was taken; null when it speaks of no success. */
const claimedMoney = ({ event_type, payment }: CallbackBody): Money | null =>
  payment && (event_type === "purchase.paid" || event_type === "purchase.captured")
    ? { amount: payment.amount, currency: payment.currency }
    : null;
