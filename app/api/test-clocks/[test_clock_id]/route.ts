import { deleteTestClock, getTestClock } from "@/lib/contract/test-clocks";
import { removeClock } from "@/lib/flows/clock-advance/steps";
import { get } from "@/lib/domain/test-clocks/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getTestClock, ({ ctx, params }) => get(ctx, params.test_clock_id));
export const DELETE = defineRoute(deleteTestClock, ({ ctx, params }) =>
  removeClock(ctx, params.test_clock_id),
);
