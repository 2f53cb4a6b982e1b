import { chargeToken } from "@/lib/contract/tokenizations";
import { amountObjections } from "@/lib/domain/businesses/line";
import { charge } from "@/lib/domain/payments/charge";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(
  chargeToken,
  ({ ctx, params, body }) => charge(ctx, params.token, body),
  ({ ctx, body }) => amountObjections(ctx, body),
);
