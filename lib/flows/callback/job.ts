import { unfinishedCallbacks } from "@/lib/domain/callbacks/rows";
import { connectionById } from "@/lib/domain/gateway-connections/rows";
import { defineJob } from "@/lib/jobs/define";
import { waitForAccount, work } from "./steps";

/** Works callbacks that were stored and not finished. Those of a revoked account wait until it is connected again. */
export const callbacks = defineJob({
  name: "work callbacks",
  due: unfinishedCallbacks,
  work: async ([row], { requestId }) => {
    const connection = row && (await connectionById(row.businessId, row.connectionId));
    if (!connection) return;
    const stored = { ...row, mode: connection.mode };
    await (connection.revokedAt === null ? work(stored, requestId) : waitForAccount(stored));
  },
});
