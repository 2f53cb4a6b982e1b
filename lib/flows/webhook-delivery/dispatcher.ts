import { webhookRetrySeconds } from "@/lib/contract/values";
import {
  type Claimed,
  type ClaimedEndpoint,
  unscopedClaimDeliveries,
  unscopedRelease,
} from "@/lib/domain/webhooks/delivery-rows";
import { bodyOf } from "@/lib/domain/webhooks/body";
import { signedHeaders } from "@/lib/domain/webhooks/secrets";
import { isoOf } from "@/lib/kernel/clock";
import { log } from "@/lib/kernel/log";
import { counter, durations } from "@/lib/kernel/metrics";
import { traced } from "@/lib/kernel/trace";
import { decide } from "./decide";
import { disableGone } from "./gone";
import { createRecorder } from "./recorder";
import type { Answer, Sender } from "./sender";

/** How many deliveries to one endpoint are under way at a time, over all workers. */
const DELIVERIES_AT_ONCE = 4;
/** A delivery begins within 5 s of its claim and is answered within 15 s; the rest is for writing it down. */
export const LEASE_SECONDS = 25;
const BEGIN_WITHIN_MS = 5_000;
/** Then it gives the endpoint back: a worker stops extending the claim of work after ten minutes, and another would serve it as well. */
const TURN_MS = 300_000;
const [MIN_BATCH, MAX_BATCH] = [4, 200];

const attempts = counter(
  "kutip_webhook_attempts_total",
  "Attempts to deliver a webhook, by what came of them.",
  ["outcome"],
);
const seconds = durations(
  "kutip_webhook_attempt_duration_seconds",
  "How long webhook endpoints took to answer.",
  [],
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
);

export type DispatcherOptions = {
  sender: Sender;
  retrySeconds?: readonly number[];
  turnMs?: number;
};

// A delivery that cannot be made counts as a failed attempt, so that it stops nothing behind it.
async function attempt(sender: Sender, claimed: Claimed): Promise<Answer> {
  try {
    const body = bodyOf(claimed.testEvent, claimed.event);
    if (body === null) throw new Error("a delivery of an event that does not exist");
    return await sender.post(
      claimed.url,
      signedHeaders(claimed.eventId, new Date(), body, claimed.secrets),
      body,
    );
  } catch (error) {
    log.error({ err: error, delivery: claimed.id }, "a webhook could not be made");
    return {
      status: null,
      error: "It could not be made.",
      response: null,
      ms: 0,
      startedAt: isoOf(new Date()),
    };
  }
}

/** Returns what delivers what is due for a claimed endpoint, until there is nothing more, its turn is over or the worker stops. */
export function createDispatcher({
  sender,
  retrySeconds = webhookRetrySeconds,
  turnMs = TURN_MS,
}: DispatcherOptions): (endpoint: ClaimedEndpoint, stopping: AbortSignal) => Promise<void> {
  const recorder = createRecorder();

  /** Returns when the endpoint has answered; the write of its outcome is added to `writes`. */
  const deliver = async (claimed: Claimed, writes: Promise<void>[]): Promise<void> => {
    const about = { name: "webhook", attributes: { "kutip.delivery": claimed.id } };
    const answer = await traced(
      { ...about, kind: "client" },
      async (note) => {
        const made = await attempt(sender, claimed);
        note({ "http.response.status_code": made.status ?? 0 }, made.error !== null);
        return made;
      },
      claimed.traceparent,
    );
    const decision = decide(answer, claimed, retrySeconds);
    attempts.inc({ outcome: decision.kind });
    seconds.observe(answer.ms / 1_000);
    const { businessId, id, fence, dueAt } = claimed;
    const delivered = decision.kind === "delivered";
    const wait = decision.kind === "retry" ? decision.seconds * (1 + Math.random() / 10) : null;
    const written = recorder
      .record({ businessId, id, fence, dueAt, delivered, ...answer, wait })
      .then(() => (decision.kind === "gone" ? disableGone(claimed) : undefined));
    written.catch(() => undefined);
    writes.push(written);
  };

  return async (endpoint, stopping) => {
    const turn = performance.now();
    for (let size = MIN_BATCH * 2; !stopping.aborted; ) {
      const batch = await unscopedClaimDeliveries(endpoint, size, LEASE_SECONDS);
      if (batch.length === 0) return;
      const began = performance.now();
      const queue = batch.values();
      const left: Claimed[] = [];
      const writes: Promise<void>[] = [];
      const deliverNext = async () => {
        for (const claimed of queue) {
          if (stopping.aborted || performance.now() - began > BEGIN_WITHIN_MS) left.push(claimed);
          else await deliver(claimed, writes);
        }
      };
      await Promise.all(Array.from({ length: DELIVERIES_AT_ONCE }, deliverNext));
      await Promise.all(writes);
      await unscopedRelease(left);
      if (performance.now() - turn >= turnMs) return;
      const took = performance.now() - began;
      size =
        took < 1_000 ? Math.min(MAX_BATCH, size * 2) : took > BEGIN_WITHIN_MS ? MIN_BATCH : size;
    }
  };
}
