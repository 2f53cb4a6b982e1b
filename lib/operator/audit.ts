import { parseArgs } from "node:util";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { print } from "./usage";
import { withInstall } from "./with-install";

/**
 * Walks every audit log; the exit code is 1 when one does not hold. The hash of the newest entry is shown, to be kept outside the
 * database: in the database itself an older state of a log could be put back unnoticed.
 */
export async function auditVerify(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  return withInstall(async () => {
    const verdicts = await verifyAudit();
    for (const { businessId, entries, newest, fault } of verdicts)
      print(
        `${fault ? "bad " : "ok  "} business ${businessId}: ${fault ?? `${entries} entries, the newest is ${newest}`}`,
      );
    const unsealed = verdicts.filter(({ fault, isSealed }) => fault === null && !isSealed).length;
    if (unsealed > 0)
      print(
        `Of these, the newest entry is not sealed yet: ${unsealed}. An older version wrote it, and the next entry seals it.`,
      );
    if (verdicts.length === 0) print("There are no entries yet.");
    return verdicts.some(({ fault }) => fault) ? 1 : 0;
  });
}
