import { exportCustomers } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/customers/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportCustomers, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "customers.csv",
}));
