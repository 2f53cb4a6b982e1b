import { unfinishedCallbacks } from "@/lib/domain/callbacks/rows";
import { connectionById } from "@/lib/domain/gateway-connections/rows";
import { defineJob } from "@/lib/jobs/define";
import { work } from "./steps";

/** Works callbacks that were stored and not finished. */
export const callbacks = defineJob({
  name: "work callbacks",
  due: unfinishedCallbacks,
  work: async ([row], { requestId }) => {
    const connection = row && (await connectionById(row.businessId, row.connectionId));
    if (connection) await work({ ...row, mode: connection.mode }, requestId);
  },
});
