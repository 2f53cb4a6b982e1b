import type { PaymentRow } from "@/lib/domain/payments/rows";
import { abandonedAfterMinutes, safeAbsenceMinutes } from "@/lib/domain/payments/rules";
import type { FindAnswer, Gateway, Payer } from "@/lib/gateways/gateway";

/**
 * What is known besides the gateway's answer. `maySend`: a charge may be sent again now. `linkEnded`: the link takes no money any more. `isFromBackup`: the
 * row may lack a gateway's id that was committed after the backup.
 */
export type Facts = {
  ageMinutes: number;
  maySend: boolean;
  linkEnded: boolean;
  isFromBackup: boolean;
};

/** A saved method that may still be charged. */
export type ChargeableMethod = { methodId: string; payer: Payer };

/** What a gateway declares about charges without an answer. */
export type Traits = Pick<Gateway, "chargeIsIdempotent" | "prepare" | "provesAbsence">;

type Attempt = Pick<PaymentRow, "gatewayId" | "tokenizationId">;

/**
 * `settle`: write the answer. `abandon`: cancel the open page or prepared charge at the gateway. `charge_again`: send the charge again under its own key;
 * `absenceProven`: nothing that was sent before is at the gateway.
 */
export type Next =
  | { kind: "settle"; answer: FindAnswer }
  | { kind: "abandon" }
  | { kind: "charge_again"; method: ChargeableMethod; absenceProven: boolean };

/** Whether `decide` needs to know the saved method: only an attempt without a result may be sent again. */
export const mayChargeAgain = (payment: Pick<PaymentRow, "gatewayId">, found: FindAnswer) =>
  found.kind === "nothing" ||
  found.kind === "prepared" ||
  (found.kind === "unknown" && !payment.gatewayId);

const unproven: FindAnswer = {
  kind: "unknown",
  reason: "The payment provider cannot confirm that nothing was charged.",
};

/** What to do about an attempt without an outcome, by what the gateway says about it now. */
export function decide(
  payment: Attempt,
  found: FindAnswer,
  facts: Facts,
  method: ChargeableMethod | null,
  gateway: Traits,
): Next {
  const next = decideFound(payment, found, facts, method, gateway);
  return next.kind === "charge_again" && !facts.maySend
    ? { kind: "settle", answer: { kind: "nothing" } }
    : next;
}

function decideFound(
  payment: Attempt,
  found: FindAnswer,
  facts: Facts,
  method: ChargeableMethod | null,
  gateway: Traits,
): Next {
  const isOld = facts.ageMinutes >= safeAbsenceMinutes;
  const settle = (answer: FindAnswer): Next => ({ kind: "settle", answer });
  switch (found.kind) {
    case "open":
      return facts.ageMinutes >= abandonedAfterMinutes || facts.linkEnded
        ? { kind: "abandon" }
        : settle(found);
    case "prepared":
      // It is paid once at most, however often it is charged.
      return method === null
        ? { kind: "abandon" }
        : { kind: "charge_again", method, absenceProven: false };
    case "nothing":
      return decideAbsent(payment, facts, method, gateway);
    case "unknown":
      // Its page has expired by now and no longer holds the link, even if the gateway's list is too long to search, or the gateway is silent.
      if (neverHandedOut(payment, facts) && facts.ageMinutes >= abandonedAfterMinutes)
        return settle({ kind: "cancelled", gatewayId: "" });
      // The key of a recent charge finds its result even where the gateway's list is too long to search.
      return method === null || payment.gatewayId || isOld || !gateway.chargeIsIdempotent
        ? settle(found)
        : { kind: "charge_again", method, absenceProven: false };
    default:
      return settle(found);
  }
}

/** The address of this page never reached us, so no payer has it. A backup may lack that it did. */
const neverHandedOut = ({ gatewayId, tokenizationId }: Attempt, { isFromBackup }: Facts) =>
  !gatewayId && tokenizationId === null && !isFromBackup;

/** The gateway shows nothing of an attempt. It is never charged again where that is no proof and a second charge would take money twice. */
function decideAbsent(
  payment: Attempt,
  facts: Facts,
  method: ChargeableMethod | null,
  { chargeIsIdempotent, prepare, provesAbsence }: Traits,
): Next {
  const isOld = facts.ageMinutes >= safeAbsenceMinutes;
  const absenceProven = isOld && provesAbsence;
  // The id is committed before the charge is sent.
  const neverSent = prepare !== null && !payment.gatewayId && !facts.isFromBackup;
  const isSafe = absenceProven || neverSent || (chargeIsIdempotent && !isOld);
  if (method !== null && isSafe) return { kind: "charge_again", method, absenceProven };
  if (!isOld) return { kind: "settle", answer: { kind: "nothing" } };
  const isOver = isSafe || neverHandedOut(payment, facts);
  return {
    kind: "settle",
    answer: isOver ? { kind: "cancelled", gatewayId: payment.gatewayId ?? "" } : unproven,
  };
}
