import { exportWebhookDeliveries } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/webhooks/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportWebhookDeliveries, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "webhook-deliveries.csv",
}));
