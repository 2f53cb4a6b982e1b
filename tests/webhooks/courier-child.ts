import { defineWebhookDelivery, webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { createRunner } from "@/lib/jobs/runner";

// A worker of one business that goes on until it is killed.
const only = Number(process.argv[2]);
const delivery = createRunner(
  defineWebhookDelivery({
    sender: createSender({ allowPrivate: true }),
    retrySeconds: [0.02, 0.02, 0.02],
  }),
  { only },
);
const fanOut = createRunner(webhookFanOut, { only });
for (;;) {
  await fanOut.poll("child");
  await fanOut.drain();
  await delivery.poll("child");
}
