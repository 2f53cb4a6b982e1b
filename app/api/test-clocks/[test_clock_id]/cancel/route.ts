import { cancelTestClockAdvance } from "@/lib/contract/test-clocks";
import { cancelAdvance } from "@/lib/flows/clock-advance/steps";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(cancelTestClockAdvance, ({ ctx, params }) =>
  cancelAdvance(ctx, params.test_clock_id),
);
