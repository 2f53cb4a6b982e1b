import { getTokenizationTimeline } from "@/lib/contract/timeline";
import { ofTokenization } from "@/lib/domain/timeline/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getTokenizationTimeline, ({ ctx, params }) =>
  ofTokenization(ctx, params.token),
);
