import { createRefund, listRefunds } from "@/lib/contract/refunds";
import { list } from "@/lib/domain/payments/refunds/list";
import { create, validateRefund } from "@/lib/flows/refund/steps";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listRefunds, ({ ctx, params, query, search }) =>
  list(ctx, params.payment_id, query, search),
);
export const POST = defineRoute(
  createRefund,
  ({ ctx, params, body }) => create(ctx, params.payment_id, body),
  ({ ctx, params, body }) => validateRefund(ctx, params.payment_id, body),
);
