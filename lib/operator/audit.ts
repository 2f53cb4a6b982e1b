import { parseArgs } from "node:util";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { print } from "./usage";
import { withInstall } from "./with-install";

/** Walks every audit log; the exit code is 1 when one does not hold. */
export async function auditVerify(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  return withInstall(async () => {
    const verdicts = await verifyAudit();
    for (const { businessId, entries, fault } of verdicts)
      print(`${fault ? "bad " : "ok  "} business ${businessId}: ${fault ?? `${entries} entries`}`);
    if (verdicts.length === 0) print("There are no entries yet.");
    return verdicts.some(({ fault }) => fault) ? 1 : 0;
  });
}
