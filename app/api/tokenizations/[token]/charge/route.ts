import { chargeToken } from "@/lib/contract/tokenizations";
import { validateAmount } from "@/lib/domain/gateway-connections/amounts";
import { charge } from "@/lib/flows/charge/steps";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(
  chargeToken,
  ({ ctx, params, body }) => charge(ctx, params.token, body),
  ({ ctx, body }) => validateAmount(ctx, body),
);
