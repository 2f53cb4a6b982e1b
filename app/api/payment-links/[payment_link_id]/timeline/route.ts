import { getPaymentLinkTimeline } from "@/lib/contract/timeline";
import { ofPaymentLink } from "@/lib/domain/timeline/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPaymentLinkTimeline, ({ ctx, params }) =>
  ofPaymentLink(ctx, params.payment_link_id),
);
