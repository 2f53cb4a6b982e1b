import { exportEvents } from "@/lib/contract/files";
import { exportCsv } from "@/lib/domain/events/export";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(exportEvents, async ({ ctx, query }) => ({
  body: await exportCsv(ctx, query),
  name: "events.csv",
}));
