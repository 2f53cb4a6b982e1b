import { exportTokenizations } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/tokenizations/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportTokenizations, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "tokenizations.csv",
}));
