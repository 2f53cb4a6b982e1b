import { exportSubscriptions } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/subscriptions/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportSubscriptions, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "subscriptions.csv",
}));
