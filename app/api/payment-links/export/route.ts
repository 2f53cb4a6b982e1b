import { exportPaymentLinks } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/payment-links/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportPaymentLinks, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "payment-links.csv",
}));
