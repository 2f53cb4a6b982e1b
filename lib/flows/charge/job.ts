import { systemCtx } from "@/lib/domain/context";
import { openPayments } from "@/lib/domain/payments/rows";
import { defineJob } from "@/lib/jobs/define";
import { LookUpBudget } from "./look-up-budget";
import { reconcile } from "./reconcile";

/** Asks gateways what became of payments that are not over, within the gateway's budget for each account. */
export const definePaymentLookUps = (budget = new LookUpBudget()) =>
  defineJob({
    name: "look up payments",
    due: openPayments,
    shownAs: "payments",
    allowance: ([, connectionId]) => budget.left(String(connectionId)),
    started: (rows) => budget.spend(rows),
    work: async ([payment], { requestId }) => {
      if (payment) await reconcile(systemCtx(payment, { kind: "clock" }, requestId), payment);
    },
  });

export const paymentLookUps = definePaymentLookUps();
