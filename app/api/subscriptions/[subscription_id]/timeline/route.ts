import { getSubscriptionTimeline } from "@/lib/contract/timeline";
import { ofSubscription } from "@/lib/domain/timeline/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getSubscriptionTimeline, ({ ctx, params }) =>
  ofSubscription(ctx, params.subscription_id),
);
