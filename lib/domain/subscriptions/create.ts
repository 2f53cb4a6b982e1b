import type { Subscription, SubscriptionInput } from "@/lib/contract/subscriptions";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { addSubscriber } from "../packages/subscribers";
import { activeTokenOf } from "../tokenizations/rows";
import { presentSubscription } from "./present";
import { insertSubscription } from "./rows";

/** Subscribes a payer to a package; charging comes later. Throws 422 on `package_id` for a package that takes no subscribers. */
export async function create(ctx: Ctx, input: SubscriptionInput): Promise<Subscription> {
  return commit(ctx, async (tx) => {
    const subscribedTo = await addSubscriber(ctx, tx, input.package_id);
    const row = await insertSubscription(ctx, tx, newId(), {
      packageId: subscribedTo.id, email: input.email, phoneNo: input.phone_no ?? null, tokenizationId: await activeTokenOf(ctx, tx, input.email),
    });
    const data = presentSubscription({ ...row, package: subscribedTo, links: [] });
    await emit(ctx, tx, { type: "subscription.created", objectId: row.id, data });
    return data;
  });
}
