import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { CustomerEventData } from "./customers";
import { Id, Mode, Timestamp } from "./fields";
import { listQuery } from "./lists";
import { Package } from "./packages";
import { PaymentLink, paymentLinkExample } from "./payment-links";
import { Payment } from "./payments";
import { Refund } from "./refunds";
import { Subscription } from "./subscriptions";
import { TokenizationEventData } from "./tokenizations";
import { eventTypes } from "./values";
import { WebhookEndpoint } from "./webhook-endpoint";

export type EventType = (typeof eventTypes)[number];

const event = <const Types extends readonly [string, ...string[]], Data extends z.ZodType>(
  id: string,
  types: Types,
  data: Data,
) =>
  z
    .object({
      _id: Id,
      type: z.enum(types).meta({ description: "What happened, to what." }),
      mode: Mode.meta({ description: "Of the record." }),
      created_at: Timestamp,
      data,
    })
    .meta({ id });

/** The type of a test event: it is delivered to webhook endpoints and is in no log of events. */
export const TEST_EVENT_TYPE = "webhook_endpoint.test";

/** Events by what their `data` is. */
export const eventShapes = [
  event(
    "PaymentLinkEvent",
    [
      "payment_link.created",
      "payment_link.updated",
      "payment_link.deleted",
      "payment_link.paid",
      "payment_link.expired",
      "payment_link.cancelled",
      "payment_link.reopened",
      "customer.link_moved",
    ],
    PaymentLink,
  ),
  event(
    "PaymentEvent",
    [
      "payment.succeeded",
      "payment.failed",
      "payment.refunded",
      "payment.disputed",
      "payment.flagged",
    ],
    Payment,
  ),
  event("RefundEvent", ["refund.failed"], Refund),
  event(
    "TokenizationEvent",
    [
      "tokenization.created",
      "tokenization.activated",
      "tokenization.updated",
      "tokenization.revoked",
      "tokenization.expired",
    ],
    TokenizationEventData,
  ),
  event("CustomerEvent", ["customer.created", "customer.updated"], CustomerEventData),
  event("PackageEvent", ["package.created", "package.updated", "package.deleted"], Package),
  event(
    "SubscriptionEvent",
    [
      "subscription.created",
      "subscription.updated",
      "subscription.activated",
      "subscription.past_due",
      "subscription.halted",
      "subscription.cancelled",
      "subscription.deleted",
      "subscription.payment_due",
    ],
    Subscription,
  ),
  event("WebhookTestEvent", [TEST_EVENT_TYPE], WebhookEndpoint),
] as const;

/** An event of the log, of any type: one of an earlier version lacks fields that its object has today. */
export type Event = {
  _id: string;
  type: EventType;
  mode: z.output<typeof Mode>;
  created_at: string;
  data: Record<string, unknown>;
};

export const Event = z.discriminatedUnion("type", eventShapes).meta({
  id: "Event",
  description:
    "`type` says which object `data` is: the object as the API would have answered it then, without secrets.",
  examples: [
    {
      _id: "6740f5d59e3c6f70b2d81a46",
      type: "payment_link.paid",
      mode: "test",
      created_at: "2026-11-20T13:41:05.902177Z",
      data: paymentLinkExample,
    },
  ],
}) as unknown as z.ZodType<Event>;

const EventParams = z.object({ event_id: Id });
export const EventQuery = listQuery(["created_from", "created_to"], ["-"] as const)
  .omit({ status: true })
  .extend({
    type: z.enum(eventTypes).optional().meta({ description: "Of this type." }),
    after: Id.optional().meta({
      description:
        "Ascending from behind this event, and complete: a change that commits late is never skipped. This holds behind an event that `after` returned, and behind one that is ten minutes old. A newer one from another answer may come before a change that commits late.",
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
  description: "Events never change, so the answer can be kept.",
  params: EventParams,
  response: Event,
});
