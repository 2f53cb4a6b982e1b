import type { PaymentRow } from "@/lib/domain/payments/rows";
import { abandonedAfterMinutes, safeAbsenceMinutes } from "@/lib/domain/payments/rules";
import type { FindAnswer, Payer } from "@/lib/gateways/gateway";

/** What is known besides the gateway's answer. */
export type Facts = { ageMinutes: number; linkExpired: boolean };

/** A saved method that may still be charged. */
export type ChargeableMethod = { methodId: string; payer: Payer };

/**
 * `settle`: write the answer. `abandon`: cancel the open page at the gateway. `charge_again`: send the charge again under its own key;
 * `absenceProven`: nothing that was sent before is at the gateway.
 */
export type Next =
  | { kind: "settle"; answer: FindAnswer }
  | { kind: "abandon" }
  | { kind: "charge_again"; method: ChargeableMethod; absenceProven: boolean };

/** Whether `decide` needs to know the saved method: only an attempt without a result may be sent again. */
export const mayChargeAgain = (payment: Pick<PaymentRow, "gatewayId">, found: FindAnswer) =>
  found.kind === "nothing" || (found.kind === "unknown" && !payment.gatewayId);

/** What to do about an attempt without an outcome, by what the gateway says about it now. */
export function decide(
  payment: Pick<PaymentRow, "gatewayId">,
  found: FindAnswer,
  { ageMinutes, linkExpired }: Facts,
  method: ChargeableMethod | null,
): Next {
  const absenceProven = ageMinutes >= safeAbsenceMinutes;
  const settle = (answer: FindAnswer): Next => ({ kind: "settle", answer });
  switch (found.kind) {
    case "open":
      return ageMinutes >= abandonedAfterMinutes || linkExpired
        ? { kind: "abandon" }
        : settle(found);
    case "nothing":
      if (method !== null) return { kind: "charge_again", method, absenceProven };
      return settle(absenceProven ? { kind: "cancelled", gatewayId: "" } : found);
    case "unknown":
      // The key of a recent charge finds its result even where the gateway's list is too long to search.
      return method === null || payment.gatewayId || absenceProven
        ? settle(found)
        : { kind: "charge_again", method, absenceProven: false };
    default:
      return settle(found);
  }
}
