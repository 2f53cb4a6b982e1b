import { listGatewayCallbacks } from "@/lib/contract/gateway-connections";
import { list } from "@/lib/domain/callbacks/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listGatewayCallbacks, ({ ctx, params, query, search }) =>
  list(ctx, params.connection_id, query, search),
);
