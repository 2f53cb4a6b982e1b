import { recordPayment } from "@/lib/contract/payments";
import { objections, recordByHand } from "@/lib/domain/payments/by-hand";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(
  recordPayment,
  ({ ctx, params, body }) => recordByHand(ctx, params.payment_link_id, body),
  ({ ctx, params, body }) => objections(ctx, params.payment_link_id, body),
);
