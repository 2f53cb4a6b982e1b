import { onTestFinished } from "vitest";
import { newTenant } from "../contract/setting";
import { answer, newReceiver, type Receiver } from "./receiver";
import { runnerOf, endpointAt } from "./setting";

/** A receiver that is closed when its test is over. */
export async function openReceiver(behaviour = answer(200)): Promise<Receiver> {
  const receiver = await newReceiver(behaviour);
  onTestFinished(() => receiver.close());
  return receiver;
}

/** A business of a test's own with one endpoint, at a receiver that answers so. */
export async function world(behaviour = answer(200)) {
  const tenant = await newTenant();
  const receiver = await openReceiver(behaviour);
  const ctx = tenant.ctx.test;
  return {
    tenant,
    ctx,
    receiver,
    runner: runnerOf(ctx),
    endpoint: await endpointAt(ctx, receiver.url),
  };
}
