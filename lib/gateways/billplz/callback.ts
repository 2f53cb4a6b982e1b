import { createHash } from "node:crypto";
import { readForm } from "../form-body";
import type { Callback, Connection } from "../gateway";
import { CallbackFields } from "./shapes";
import { isSigned } from "./signature";

/** The same failure that comes again within this time is a repeat. No payer tries a bank again so soon. */
const REPEAT_MS = 15_000;

/**
 * A callback as Billplz has signed it; null for anything else. It is a form, names the bill and not our reference, and only that of a paid bill has a
 * time. Its id is the digest of its bytes, which a repeat has too. Two failed tries on a bill have the same bytes, so theirs has the time of arrival.
 */
export async function verifyCallback(
  { callbackSecret, mode }: Connection,
  raw: Uint8Array,
): Promise<Callback | null> {
  const form = readForm(raw);
  if (!callbackSecret || !form || !isSigned(form, callbackSecret)) return null;
  const fields = CallbackFields.safeParse(Object.fromEntries(form));
  if (!fields.success) return null;
  const { id, collection_id, state, paid, paid_amount: amount } = fields.data;
  const arrival = state === "paid" ? "" : String(Math.floor(Date.now() / REPEAT_MS));
  return {
    eventId: createHash("sha256").update(raw).update(arrival).digest("hex"),
    type: `bill.${state}`,
    about: "payment",
    reference: "",
    gatewayId: id,
    claims: {
      mode,
      account: collection_id,
      money: paid === "true" && amount ? { amount, currency: "MYR" } : null,
    },
  };
}
