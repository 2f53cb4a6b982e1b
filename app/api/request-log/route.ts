import { listRequestLog } from "@/lib/contract/request-log";
import { list } from "@/lib/domain/request-log/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listRequestLog, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
