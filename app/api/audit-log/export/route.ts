import { exportAuditLog } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/audit/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportAuditLog, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "audit-log.csv",
}));
