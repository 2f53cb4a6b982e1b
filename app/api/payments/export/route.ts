import { exportPayments } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/payments/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportPayments, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "payments.csv",
}));
