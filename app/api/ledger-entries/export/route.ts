import { exportLedgerEntries } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/ledger/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportLedgerEntries, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "ledger.csv",
}));
