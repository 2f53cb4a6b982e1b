import { defineConsumer } from "@/lib/domain/events/consume";
import {
  dueEndpoints,
  unscopedFanOut,
  waitingDeliveries,
} from "@/lib/domain/webhooks/delivery-rows";
import { env } from "@/lib/env";
import { defineJob } from "@/lib/jobs/define";
import { createDispatcher, type DispatcherOptions, LEASE_SECONDS } from "./dispatcher";
import { createSender } from "./sender";

/** Turns each event into a delivery for every endpoint that takes it. */
export const webhookFanOut = defineConsumer({
  name: "turn events into webhooks",
  consumer: "webhooks",
  batch: 500,
  consume: unscopedFanOut,
});

/** Delivers what is due. Each endpoint is a piece of work of its own, so that one that hangs or fails delays no other. */
export function defineWebhookDelivery(options?: DispatcherOptions) {
  let dispatch: ReturnType<typeof createDispatcher> | undefined;
  return defineJob({
    name: "deliver webhooks",
    due: dueEndpoints,
    shownAs: "webhooks",
    shown: waitingDeliveries,
    leaseSeconds: LEASE_SECONDS,
    repeats: true,
    perTenant: 50,
    slots: 256,
    work: async ([endpoint], { stopping }) => {
      dispatch ??= createDispatcher(
        options ?? { sender: createSender({ allowPrivate: env.WEBHOOK_ALLOW_PRIVATE }) },
      );
      if (endpoint) await dispatch(endpoint, stopping);
    },
  });
}

export const webhookDelivery = defineWebhookDelivery();
