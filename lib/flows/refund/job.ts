import { systemCtx } from "@/lib/domain/context";
import { openRefunds } from "@/lib/domain/payments/refunds/rows";
import { defineJob } from "@/lib/jobs/define";
import { reconcileRefund } from "./reconcile";

/** Asks gateways what became of refunds that are not over. */
export const refundLookUps = defineJob({
  name: "look up refunds",
  due: openRefunds,
  shownAs: "refunds",
  work: async ([refund], { requestId }) => {
    if (refund) await reconcileRefund(systemCtx(refund, { kind: "clock" }, requestId), refund);
  },
});
