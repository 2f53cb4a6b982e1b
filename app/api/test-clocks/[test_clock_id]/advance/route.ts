import { advanceTestClock } from "@/lib/contract/test-clocks";
import { advance } from "@/lib/flows/clock-advance/steps";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(advanceTestClock, ({ ctx, params, body }) =>
  advance(ctx, params.test_clock_id, body.to),
);
