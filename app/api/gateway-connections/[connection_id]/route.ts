import {
  getGatewayConnection,
  revokeGatewayConnection,
  updateGatewayConnection,
} from "@/lib/contract/gateway-connections";
import { get } from "@/lib/flows/connecting/show";
import { replace, revoke, validateOtherKey } from "@/lib/flows/connecting/steps";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getGatewayConnection, ({ ctx, params }) =>
  get(ctx, params.connection_id),
);
export const PUT = defineRoute(
  updateGatewayConnection,
  ({ ctx, params, body }) => replace(ctx, params.connection_id, body),
  ({ ctx, params, body }) => validateOtherKey(ctx, params.connection_id, body),
);
export const DELETE = defineRoute(revokeGatewayConnection, ({ ctx, params }) =>
  revoke(ctx, params.connection_id),
);
