import { exportBatches } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/batches/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportBatches, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "batches.csv",
}));
