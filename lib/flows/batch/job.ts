import { systemCtx } from "@/lib/domain/context";
import { type BatchRow, dueBatches } from "@/lib/domain/batches/rows";
import { type Call, defineJob } from "@/lib/jobs/define";
import { workBatch } from "./work";

/** Events name the person or key that started the batch. */
const contextOf = (batch: BatchRow, { requestId }: Call) =>
  systemCtx(batch, batch.startedBy, requestId);

export const batchWork = defineJob({
  name: "work batches",
  due: dueBatches,
  perTenant: 1,
  repeats: true,
  shownAs: "batches",
  work: async ([batch], call) => {
    if (batch) await workBatch(contextOf(batch, call), batch, call.stopping);
  },
});
