import { compute } from "@/lib/compute/pool";
import { getStatementPdf } from "@/lib/contract/files";
import { paper } from "@/lib/domain/statements/paper";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(getStatementPdf, async ({ ctx, params }) => ({
  body: await compute(ctx, "statement", await paper(ctx, params.month)),
  name: `statement-${params.month}.pdf`,
}));
