import { exportMails } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/mails/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportMails, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "mails.csv",
}));
