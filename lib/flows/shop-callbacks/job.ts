import { dueCallbacks } from "@/lib/domain/integrations/callback-rows";
import { env } from "@/lib/env";
import { defineJob } from "@/lib/jobs/define";
import { createSender, type Sender } from "../webhook-delivery/sender";
import { deliverCallback } from "./steps";

/** Delivers the callbacks of shop plugins that are due. */
export function defineCallbackDelivery(given?: Sender) {
  let sender = given;
  return defineJob({
    name: "deliver shop callbacks",
    due: dueCallbacks,
    perTenant: 2,
    slots: 64,
    work: async ([row], { requestId }) => {
      sender ??= createSender({ allowPrivate: env.WEBHOOK_ALLOW_PRIVATE });
      if (row) await deliverCallback(sender, row, requestId);
    },
    close: () => sender?.close(),
  });
}

export const callbackDelivery = defineCallbackDelivery();
