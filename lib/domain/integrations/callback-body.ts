import { createHmac } from "node:crypto";
import { decimalAmount } from "@/lib/kernel/money";

/** What a callback is about. `paidAt` and `triggeredAt` are moments, ISO 8601 UTC. */
export type PaidLink = {
  triggeredAt: string;
  paidAt: string;
  timeZone: string;
  payment: {
    id: string;
    amount: number;
    currency: string;
    method: string | null;
    provider: string;
  };
  link: { id: string; reference: string | null; reference2: string | null };
};

/** Plugins clean a value before they hash it: tags, `%xx`, line breaks and outer blanks are taken out here, so that both hash the same text. */
export function cleaned(value: string): string {
  let text = value;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text
      .replace(/<[^>]*>?/g, "")
      .replace(/%[0-9a-f]{2}/gi, "")
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim();
  }
  return text;
}

/** The hash that plugins check: HMAC-SHA256 in hex over the signature key and the values in their order, with nothing between them. */
export const callbackHash = (signatureKey: string, values: readonly string[]): string =>
  createHmac("sha256", signatureKey)
    .update([signatureKey, ...values].join(""))
    .digest("hex");

/** Whether a body is signed with this key, and not with one from before. */
export function isSignedWith(signatureKey: string, body: string): boolean {
  const { hash, ...values } = (JSON.parse(body) as { data: Record<string, string> }).data;
  return hash === callbackHash(signatureKey, Object.values(values));
}

/** A moment as PHP's `d-m-Y h:i:s a` writes it, in the zone of the business. */
export function businessTime(moment: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(moment));
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((one) => one.type === type)?.value ?? "";
  const hour = Number(part("hour"));
  const twelve = String(hour % 12 || 12).padStart(2, "0");
  return `${part("day")}-${part("month")}-${part("year")} ${twelve}:${part("minute")}:${part("second")} ${hour < 12 ? "am" : "pm"}`;
}

/** The body of a `payment.created` callback. The order of the keys is signed. */
export function callbackBody(signatureKey: string, paid: PaidLink): string {
  const { payment, link } = paid;
  const amount = decimalAmount(payment.amount, payment.currency);
  const fields: [string, string][] = [
    ["attempt_id", payment.id],
    ["charge_amount", amount],
    ["payment_id", payment.id],
    ["payment_time", businessTime(paid.paidAt, paid.timeZone)],
    ["payment_amount", amount],
    ["payment_status", "1"],
    ["payment_link_id", link.id],
    ["payment_link_reference", cleaned(link.reference ?? "")],
    ["payment_link_reference_2", cleaned(link.reference2 ?? "")],
    ["payment_message", "Paid"],
    ["payment_currency", payment.currency],
    ...(payment.method ? [["payment_method", cleaned(payment.method)] as [string, string]] : []),
    ["payment_provider", cleaned(payment.provider)],
  ];
  const hash = callbackHash(
    signatureKey,
    fields.map(([, value]) => value),
  );
  return JSON.stringify({
    trigger_at: paid.triggeredAt,
    event: "payment.created",
    data: Object.fromEntries([...fields, ["hash", hash]]),
  });
}
