import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { Id, Timestamp } from "./fields";
import { listQuery } from "./lists";
import { paymentLinkExample } from "./payment-links";
import { eventTypes } from "./values";

export type EventType = (typeof eventTypes)[number];

export const Event = z
  .object({
    _id: Id,
    type: z.enum(eventTypes).meta({ description: "What happened, to what." }),
    created_at: Timestamp,
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: "The object as the API would have answered it then, without secrets." }),
  })
  .meta({
    id: "Event",
    examples: [
      {
        _id: "6740f5d59e3c6f70b2d81a46",
        type: "payment_link.paid",
        created_at: "2026-11-20T13:41:05.902177Z",
        data: paymentLinkExample,
      },
    ],
  });
export type Event = z.output<typeof Event>;

export const EventParams = z.object({ event_id: Id });
export const EventQuery = listQuery(["created_from", "created_to"], ["-"] as const)
  .omit({ status: true })
  .extend({
    type: z.enum(eventTypes).optional().meta({ description: "Of this type." }),
    after: Id.optional().meta({
      description:
        "Ascending from behind this event, and complete: a change that commits late is never skipped.",
    }),
  });
export type EventQuery = z.output<typeof EventQuery>;

const tag = "Events";

export const listEvents = endpoint({
  id: "listEvents",
  method: "GET",
  path: "/events",
  tag,
  summary: "List events",
  query: EventQuery,
  response: page(Event),
  description:
    "With `after`, ascending from behind that event: keep the last `_id` you have seen and ask again.",
});
export const getEvent = endpoint({
  id: "getEvent",
  method: "GET",
  path: "/events/{event_id}",
  tag,
  summary: "Get an event",
  params: EventParams,
  response: Event,
});
