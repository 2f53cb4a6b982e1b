import { advanceTestClock } from "@/lib/contract/test-clocks";
import { collectMails } from "@/lib/domain/mails/outbox";
import { advance } from "@/lib/domain/subscriptions/engine/clock";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(advanceTestClock, async ({ ctx, params, body }) => {
  const clock = await advance(ctx, params.test_clock_id, body.to);
  // The worker would do it a moment later; whoever advanced the clock looks at once.
  await collectMails(1_000);
  return clock;
});
