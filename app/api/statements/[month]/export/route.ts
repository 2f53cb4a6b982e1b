import { exportStatement } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/statements/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportStatement, async ({ ctx, params }) => ({
  body: await exportCsv(ctx, params.month),
  name: `statement-${params.month}.csv`,
}));
