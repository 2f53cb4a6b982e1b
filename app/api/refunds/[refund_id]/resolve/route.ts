import { resolveRefund } from "@/lib/contract/refunds";
import { resolve } from "@/lib/domain/payments/refunds/resolve";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(resolveRefund, ({ ctx, params, body }) =>
  resolve(ctx, params.refund_id, body),
);
