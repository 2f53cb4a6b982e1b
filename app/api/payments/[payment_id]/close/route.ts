import { resolvePayment } from "@/lib/contract/payments";
import { resolve } from "@/lib/domain/payments/resolve";
import { defineRoute } from "@/lib/http/define-route";

// The path before 1.0, until 1.1.
export const POST = defineRoute(resolvePayment, ({ ctx, params, body }) =>
  resolve(ctx, params.payment_id, body),
);
