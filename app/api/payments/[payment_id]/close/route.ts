import { closePayment } from "@/lib/contract/payments";
import { close } from "@/lib/domain/payments/close";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(closePayment, ({ ctx, params, body }) =>
  close(ctx, params.payment_id, body),
);
