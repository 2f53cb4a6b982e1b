import { createHash } from "node:crypto";
import { readForm } from "../form-body";
import type { Callback, Connection } from "../gateway";
import { CallbackFields } from "./shapes";
import { isSigned } from "./signature";

/**
 * A callback as Billplz has signed it; null for anything else. It is a form, names the bill and not our reference, and has no time: its id is the digest
 * of its bytes, which a repeat has too.
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
  return {
    eventId: createHash("sha256").update(raw).digest("hex"),
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
