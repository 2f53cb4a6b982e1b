import { listTokenizations } from "@/lib/contract/tokenizations";
import { list } from "@/lib/domain/tokenizations/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listTokenizations, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
