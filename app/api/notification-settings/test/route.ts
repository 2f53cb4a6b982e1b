import { testNotification } from "@/lib/contract/notifications";
import { testChannel } from "@/lib/flows/notifying/try-channel";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(testNotification, ({ ctx, body }) =>
  testChannel(ctx, body.channel),
);
