import { connectGateway, listGatewayConnections } from "@/lib/contract/gateway-connections";
import { list } from "@/lib/flows/connecting/show";
import { connect, validateNewKey } from "@/lib/flows/connecting/steps";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listGatewayConnections, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
export const POST = defineRoute(
  connectGateway,
  ({ ctx, body }) => connect(ctx, body),
  ({ ctx, body }) => validateNewKey(ctx, body),
);
