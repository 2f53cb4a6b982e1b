import type { Callback, Connection, Money } from "../gateway";
import { fromStripe } from "./money";
import { attemptKey, Event } from "./shapes";

const toleranceSeconds = 300;

/** An event as Stripe has signed it, over the bytes as they came; null for anything else, and where no secret is kept. */
export async function verifyCallback(
  connection: Connection,
  raw: Uint8Array,
  headers: Headers,
): Promise<Callback | null> {
  const secret = connection.callbackSecret?.trim();
  const header = headers.get("stripe-signature");
  if (!secret || !header || !isExact(raw)) return null;
  const { default: Stripe } = await import("stripe");
  try {
    const event = Event.safeParse(
      Stripe.webhooks.constructEvent(Buffer.from(raw), header, secret, toleranceSeconds),
    );
    // The SDK looks at age alone; a moment that is still to come is no better.
    return event.success && !isFromFuture(header) ? readEvent(event.data) : null;
  } catch {
    return null;
  }
}

/** The SDK signs the text that the bytes decode to: bytes that decode to the same text as others are not taken. */
function isExact(raw: Uint8Array): boolean {
  const text = new TextDecoder("utf-8").decode(raw);
  return Buffer.from(text, "utf8").equals(raw);
}

const isFromFuture = (header: string) =>
  Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(header)?.[1]) - Date.now() / 1000 > toleranceSeconds;

function readEvent(event: Event): Callback {
  const { object } = event.data;
  const isMethod = object.object === "payment_method";
  const gatewayId =
    isMethod || object.object === "payment_intent" || object.object === "checkout.session"
      ? object.id
      : object.payment_intent;
  // Whatever a method's own metadata says was not written by Kutip.
  const reference = isMethod
    ? ""
    : (object.metadata?.[attemptKey] ?? object.client_reference_id ?? "");
  const disputeChange = disputeChanges.get(event.type);
  return {
    eventId: event.id,
    type: event.type,
    about: reference === "" && !gatewayId ? "nothing" : aboutOf(event.type),
    ...(disputeChange ? { disputeChange } : {}),
    reference,
    gatewayId: gatewayId ?? null,
    claims: {
      mode: event.livemode ? "live" : "test",
      account: event.account ?? null,
      money: claimedMoney(event),
    },
  };
}

// A map: an event may be called `__proto__`.
const disputeChanges = new Map<string, Callback["disputeChange"]>([
  ["charge.dispute.funds_withdrawn", "withdrawn"],
  ["charge.dispute.funds_reinstated", "reinstated"],
  ["charge.dispute.closed", "closed"],
]);

/** Other events of a method, such as that it was attached, change nothing here. */
const methodEvents = new Set([
  "payment_method.updated",
  "payment_method.automatically_updated",
  "payment_method.detached",
]);

/** `charge.dispute.…`; `refund.…`, `charge.refund.…` and `charge.refunded`; the rest is about payments. */
function aboutOf(type: string): Callback["about"] {
  if (type.startsWith("payment_method.")) return methodEvents.has(type) ? "method" : "nothing";
  if (type.startsWith("charge.dispute.")) return "dispute";
  return /^(charge\.)?refund/.test(type) ? "refund" : "payment";
}

/** What an event says was taken; null when it speaks of no success. */
function claimedMoney({ type, data: { object } }: Event): Money | null {
  const paid =
    type === "payment_intent.succeeded" ||
    type === "charge.succeeded" ||
    (object.object === "checkout.session" &&
      object.mode === "payment" &&
      object.payment_status === "paid");
  const amount = object.object === "checkout.session" ? object.amount_total : object.amount;
  return paid && typeof amount === "number" && object.currency
    ? fromStripe(amount, object.currency)
    : null;
}
