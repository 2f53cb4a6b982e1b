import * as z from "zod";
import { endpoint } from "./endpoint";
import { Id } from "./fields";

/** What a message of the stream holds: that something happened, not what; whoever shows it asks again. */
export const StreamMessage = z.object({ type: z.string(), object_id: Id }).meta({ id: "StreamMessage" });
export type StreamMessage = z.output<typeof StreamMessage>;

/** Types of events that are told live; making links is not, it would cost every caller of the API. */
export const streamedTypes = [
  "payment.succeeded", "payment.failed", "payment.refunded", "payment.disputed", "payment_link.updated", "payment_link.deleted", "payment_link.paid", "payment_link.expired",
  "payment_link.cancelled", "payment_link.reopened", "tokenization.activated", "tokenization.revoked", "tokenization.expired", "subscription.created", "subscription.updated",
  "subscription.activated", "subscription.past_due", "subscription.halted", "subscription.cancelled", "subscription.deleted", "subscription.payment_due",
] as const;

export const streamChanges = endpoint({
  id: "streamChanges", method: "GET", path: "/stream", tag: "Live", access: "staff", media: "text/event-stream", summary: "What happens, as it happens", response: z.string(),
  description:
    "Server-sent events, each unnamed with `data` `{type, object_id}`; `event: ready` once changes are told from then on, also after an interruption: ask again then. Business and mode stand in the query.",
});
