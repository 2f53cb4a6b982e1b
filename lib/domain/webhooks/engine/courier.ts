import { randomUUID } from "node:crypto";
import { webhookRetrySeconds } from "@/lib/contract/values";
import { isoOf } from "@/lib/kernel/clock";
import { log } from "@/lib/kernel/log";
import { signedHeaders } from "../secrets";
import { bodyOf } from "./body";
import { disableGone } from "./gone";
import {
  type Claimed,
  type Place,
  unscopedClaim,
  unscopedGiveBack,
  unscopedRelease,
  unscopedWaitingEndpoints,
} from "./rows";
import { createRecorder } from "./recorder";
import type { Answer, Sender } from "./sender";

/** At most so many deliveries to an endpoint are under way at a time, over all workers. */
const handsEach = 4;
const mostEndpoints = 256;
/** A turn outlasts what was begun in its last moment: 5 s to begin, 15 s for the answer, 5 s to spare. */
const leaseSeconds = 25;
const beginWithinMs = 5_000;
const [fewest, most] = [4, 200];

type Options = { sender: Sender; retrySeconds?: readonly number[]; businessId?: number };
export type Courier = { turn: () => Promise<number>; rest: () => Promise<void> };

// What cannot even be made is a failed attempt like others, so that it stops nothing behind it.
async function attempt(sender: Sender, claimed: Claimed): Promise<Answer> {
  try {
    const body = bodyOf(claimed.testEvent, claimed.event);
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

/**
 * Delivers what is due. Each endpoint has a lane of its own, so that one that hangs or fails keeps no other waiting: `turn` starts lanes for
 * those that wait and does not wait for them; `rest` lets what has begun end and gives the rest back.
 */
export function createCourier({
  sender,
  retrySeconds = webhookRetrySeconds,
  businessId,
}: Options): Courier {
  const worker = randomUUID();
  const lanes = new Map<string, Promise<void>>();
  const recorder = createRecorder();
  let resting = false;

  /** Answers when the endpoint has; what is written of it is added to `writes`. */
  const deliver = async (claimed: Claimed, writes: Promise<void>[]): Promise<void> => {
    const answer = await attempt(sender, claimed);
    const gone = answer.status === 410;
    const seconds = gone || claimed.testEvent ? undefined : retrySeconds[claimed.tries];
    const { businessId: business, id, fence } = claimed;
    const wait = seconds === undefined ? null : seconds * (1 + Math.random() / 10);
    const written = recorder
      .record({
        businessId: business,
        id,
        fence,
        delivered: answer.error === null,
        ...answer,
        wait,
      })
      .then(() => (gone ? disableGone(claimed) : undefined));
    written.catch(() => undefined);
    writes.push(written);
  };

  const serve = async (place: Place): Promise<void> => {
    for (let size = fewest * 2; !resting; ) {
      const batch = await unscopedClaim(worker, place, size, leaseSeconds);
      if (batch.length === 0) return;
      const began = performance.now();
      const queue = batch.values();
      const left: Claimed[] = [];
      const writes: Promise<void>[] = [];
      const hand = async () => {
        for (const claimed of queue) {
          if (resting || performance.now() - began > beginWithinMs) left.push(claimed);
          else await deliver(claimed, writes);
        }
      };
      await Promise.all(Array.from({ length: handsEach }, hand));
      await Promise.all(writes);
      await unscopedRelease(left);
      const took = performance.now() - began;
      size = took < 1_000 ? Math.min(most, size * 2) : took > beginWithinMs ? fewest : size;
    }
  };

  const lane = async (key: string, place: Place) => {
    try {
      await serve(place);
    } catch (error) {
      log.error(
        { err: error, endpoint: place.id },
        "webhooks to an endpoint were interrupted; they go on when their lease is over",
      );
    }
    await unscopedGiveBack(worker, place).catch(() => undefined);
    lanes.delete(key);
  };

  return {
    turn: async () => {
      const room = resting ? 0 : mostEndpoints - lanes.size;
      if (room <= 0) return 0;
      const waiting = (await unscopedWaitingEndpoints(room, businessId))
        .map((place) => [`${place.businessId} ${place.id}`, place] as const)
        .filter(([key]) => !lanes.has(key));
      for (const [key, place] of waiting) lanes.set(key, lane(key, place));
      return waiting.length;
    },
    rest: async () => {
      resting = true;
      await Promise.all(lanes.values());
    },
  };
}
