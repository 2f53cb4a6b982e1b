import { cancelTestClockAdvance } from "@/lib/contract/test-clocks";
import { cancelAdvance } from "@/lib/domain/subscriptions/engine/clock";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(cancelTestClockAdvance, ({ ctx, params }) =>
  cancelAdvance(ctx, params.test_clock_id),
);
