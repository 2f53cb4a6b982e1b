import { getCustomerTimeline } from "@/lib/contract/timeline";
import { ofCustomer } from "@/lib/domain/timeline/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getCustomerTimeline, ({ ctx, params }) =>
  ofCustomer(ctx, params.customer_id),
);
