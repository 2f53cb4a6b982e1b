import { listRequestLog } from "@/lib/contract/request-log";
import { list } from "@/lib/domain/request-log/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listRequestLog, ({ ctx, role, query, search }) =>
  list(ctx, role, query, search),
);
