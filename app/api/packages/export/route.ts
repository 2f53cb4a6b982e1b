import { exportPackages } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/packages/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportPackages, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "packages.csv",
}));
