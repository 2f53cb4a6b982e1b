import { getPaymentTimeline } from "@/lib/contract/timeline";
import { ofPayment } from "@/lib/domain/timeline/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPaymentTimeline, ({ ctx, params }) =>
  ofPayment(ctx, params.payment_id),
);
