import { listStatementLines } from "@/lib/contract/statements";
import { list } from "@/lib/domain/statements/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listStatementLines, ({ ctx, params, query, search }) =>
  list(ctx, params.month, query, search),
);
