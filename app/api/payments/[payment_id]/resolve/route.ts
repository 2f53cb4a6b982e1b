import { resolvePayment } from "@/lib/contract/payments";
import { resolve } from "@/lib/domain/payments/resolve";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(resolvePayment, ({ ctx, params, body }) =>
  resolve(ctx, params.payment_id, body),
);
