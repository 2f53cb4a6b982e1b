import { exportRequestLog } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/request-log/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportRequestLog, async ({ ctx, role, query }) => ({
  body: await exportCsv(ctx, role, query),
  name: "request-log.csv",
}));
