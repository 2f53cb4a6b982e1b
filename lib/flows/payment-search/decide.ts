import type { PaymentRow } from "@/lib/domain/payments/rows";
import { isOver } from "@/lib/domain/payments/rules";
import type { FindAnswer, ListedPayment } from "@/lib/gateways/gateway";
import { isId } from "@/lib/kernel/ids";

/** What is known here of a payment that a gateway lists. */
export type Facts = {
  connection: { businessId: number; id: string };
  payment: Pick<PaymentRow, "businessId" | "connectionId" | "status"> | undefined;
  /** It is a charge of a subscription that is known here and follows a test clock. */
  underClock: boolean;
  /** Its link or token is of another business of this install, which uses the same account and finds it by its own search. */
  ofAnother: boolean;
};

export type Listed =
  /** Made by another program, or for another business: others may use the account too. */
  | { kind: "foreign" }
  | { kind: "known" }
  /** Known as ended without money, while the gateway lists it as paid. */
  | { kind: "reconcile" }
  /** A test clock that the backup set back makes its charges anew. */
  | { kind: "left_to_clock" }
  /** Not known here: the gateway is asked for its outcome. */
  | { kind: "look_up" };

/** What to do about a payment that a gateway lists since the backup. */
export function decideListed(
  { reference, pending }: Pick<ListedPayment, "reference" | "pending">,
  { connection, payment, underClock, ofAnother }: Facts,
): Listed {
  if (!isId(reference)) return { kind: "foreign" };
  if (payment) {
    const isSame =
      payment.businessId === connection.businessId && payment.connectionId === connection.id;
    return { kind: isSame && isOver(payment.status) && !pending ? "reconcile" : "known" };
  }
  if (ofAnother) return { kind: "foreign" };
  return { kind: underClock ? "left_to_clock" : "look_up" };
}

export type Found =
  | { kind: "adopt"; answer: Extract<FindAnswer, { kind: "succeeded" }> }
  /** It ended without money. */
  | { kind: "over" }
  /** It has no outcome yet: the search goes on. */
  | { kind: "search_again" };

/** What to do with the gateway's answer about a payment that is not known here. */
export function decideFound(answer: FindAnswer): Found {
  if (answer.kind === "succeeded") return { kind: "adopt", answer };
  return {
    kind: answer.kind === "failed" || answer.kind === "cancelled" ? "over" : "search_again",
  };
}
