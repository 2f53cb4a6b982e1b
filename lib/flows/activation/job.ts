import { systemCtx } from "@/lib/domain/context";
import { openActivations } from "@/lib/domain/tokenizations/rows";
import { defineJob } from "@/lib/jobs/define";
import { lookUp } from "./reconcile";

/** Asks gateways what became of activations that are open. */
export const activationLookUps = defineJob({
  name: "look up activations",
  due: openActivations,
  shownAs: "activations",
  work: async ([row], { requestId }) => {
    if (row) await lookUp(systemCtx(row, { kind: "clock" }, requestId), row, row.fence);
  },
});
