import * as z from "zod";
import { CustomerParams } from "./customers";
import { endpoint } from "./endpoint";
import { Id, Timestamp } from "./fields";
import { PaymentLinkParams } from "./payment-links";
import { PaymentParams } from "./payments";
import { SubscriptionParams } from "./subscriptions";
import { TokenParams } from "./tokenizations";
import { NamedActor } from "./versions";

export const TimelineEntry = z
  .object({
    at: Timestamp,
    kind: z.string().meta({
      description:
        "The type of an event; or `opened`, `attempt.begun`, `attempt.cancelled`, `attempt.pending`, `attempt.unknown`, or `mail.` and the mail's status.",
    }),
    title: z.string().meta({ description: "The same in words." }),
    actor: NamedActor,
    changes: z
      .array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }))
      .meta({ description: "What an update changed; else empty." }),
    event_id: Id.nullable(),
    payment_id: Id.nullable(),
    mail_id: Id.nullable(),
  })
  .meta({ id: "TimelineEntry" });

export const Timeline = z.array(TimelineEntry).meta({
  examples: [
    [
      {
        at: "2026-11-20T13:36:10.000125Z",
        kind: "payment_link.updated",
        title: "Changed",
        actor: { kind: "person", name: "Ana Costa" },
        changes: [{ field: "amount", before: 12000, after: 12550 }],
        event_id: "6740f5d59e3c6f70b2d81a46",
        payment_id: null,
        mail_id: null,
      },
      {
        at: "2026-11-20T13:34:45.423258Z",
        kind: "payment_link.created",
        title: "Created",
        actor: { kind: "key", name: "Web shop" },
        changes: [],
        event_id: "6740f1c09a3be27d51c8e4f1",
        payment_id: null,
        mail_id: null,
      },
    ],
  ],
});

export type TimelineEntry = z.output<typeof TimelineEntry>;

const description =
  "Everything that happened, newest first, the newest 200: who did it and what it changed.";
const shared = { method: "GET", response: Timeline, description } as const;

export const getPaymentLinkTimeline = endpoint({
  ...shared,
  id: "getPaymentLinkTimeline",
  path: "/payment-links/{payment_link_id}/timeline",
  tag: "Payment links",
  summary: "What happened to a payment link",
  params: PaymentLinkParams,
});
export const getPaymentTimeline = endpoint({
  ...shared,
  id: "getPaymentTimeline",
  path: "/payments/{payment_id}/timeline",
  tag: "Payments",
  summary: "What happened to a payment",
  description: `${description} It also says when the payment link or subscription that was paid was deleted.`,
  params: PaymentParams,
});
export const getTokenizationTimeline = endpoint({
  ...shared,
  id: "getTokenizationTimeline",
  path: "/tokenizations/{token}/timeline",
  tag: "Tokenizations",
  summary: "What happened to a tokenization",
  params: TokenParams,
});
export const getSubscriptionTimeline = endpoint({
  ...shared,
  id: "getSubscriptionTimeline",
  path: "/subscriptions/{subscription_id}/timeline",
  tag: "Subscriptions",
  summary: "What happened to a subscription",
  params: SubscriptionParams,
});
export const getCustomerTimeline = endpoint({
  ...shared,
  id: "getCustomerTimeline",
  path: "/customers/{customer_id}/timeline",
  tag: "Customers",
  summary: "What happened to a customer and their newest records",
  params: CustomerParams,
});
