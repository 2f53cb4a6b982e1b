import { createCourier } from "@/lib/domain/webhooks/engine/courier";
import { fanOut } from "@/lib/domain/webhooks/engine/fan-out";
import { createSender } from "@/lib/domain/webhooks/engine/sender";

// A worker of one business that goes on until it is killed.
const courier = createCourier({
  sender: createSender({ allowPrivate: true }),
  retrySeconds: [0.02, 0.02, 0.02],
  businessId: Number(process.argv[2]),
});
for (;;) {
  await fanOut(1_000);
  await courier.turn();
}
