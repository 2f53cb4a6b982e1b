import type { statementKinds } from "./values";

/** What a line of a statement is about. A fee has its own line where its payment's line is of another month or currency. */
export const statementKindLabels: Record<(typeof statementKinds)[number], string> = {
  payment: "Payment",
  fee: "Fee booked separately",
  refund: "Refund",
  dispute: "Dispute",
};
