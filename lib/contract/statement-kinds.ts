import type { StatementLine } from "./statements";
import type { statementKinds } from "./values";

/** What a line of a statement is about. A fee has its own line where its payment's line is of another month or currency. */
export const statementKindLabels: Record<(typeof statementKinds)[number], string> = {
  payment: "Payment",
  fee: "Fee booked separately",
  refund: "Refund",
  dispute: "Dispute",
};

const MINUTE_MS = 60_000;

/** When the money of a line came, where that was before it was booked. */
export const cameBefore = ({
  paid_at: paid,
  created_at: booked,
}: Pick<StatementLine, "paid_at" | "created_at">): string | undefined =>
  paid !== null && Date.parse(booked) - Date.parse(paid) > MINUTE_MS ? paid : undefined;
