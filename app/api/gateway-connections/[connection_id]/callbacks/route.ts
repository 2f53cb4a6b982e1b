import { listGatewayCallbacks } from "@/lib/contract/gateway-connections";
import { callbacks } from "@/lib/domain/gateway-connections/manage";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listGatewayCallbacks, ({ ctx, params, query, search }) =>
  callbacks(ctx, params.connection_id, query, search),
);
