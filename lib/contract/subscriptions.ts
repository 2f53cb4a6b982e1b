import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { BusinessId, Email, Id, PhoneNo, Timestamp } from "./fields";
import { type FilterName, listQuery, searchOf } from "./lists";
import { cancelWords } from "./messages";
import { Package, packageExample } from "./packages";
import { PaymentLink } from "./payment-links";
import { subscriptionStatuses } from "./values";
import { SeenVersion, VersionOut } from "./versions";

export const SubscriptionInput = z
  .object({
    package_id: z
      .string()
      .min(1, { abort: true })
      .meta({
        description: "An active package of this business.",
        examples: ["6740f2a11c5b8e9f03d7a612"],
      }),
    email: Email.describe("Subscriber's email address."),
    phone_no: PhoneNo.optional().describe("Subscriber's phone number."),
    test_clock_id: z.string().optional().meta({
      description: "In test mode: the test clock it follows from then on instead of the real one.",
    }),
  })
  .meta({
    id: "SubscriptionInput",
    examples: [
      {
        package_id: "6740f2a11c5b8e9f03d7a612",
        email: "ana@example.com",
        phone_no: "+60123456789",
      },
    ],
  });

/** An absent field is unchanged; `phone_no: null` clears. */
export const SubscriptionUpdate = z
  .object({
    email: Email.optional(),
    phone_no: PhoneNo.nullable().optional().describe("null clears it."),
    status: z
      .enum(["cancel", "cancelled", "canceled"], { error: cancelWords })
      .transform(() => "cancel" as const)
      .optional()
      .describe("Only cancelling can be asked for."),
    version: SeenVersion,
  })
  .meta({ id: "SubscriptionUpdate", examples: [{ status: "cancel" }] });

export const PeriodLink = PaymentLink.extend({
  period_start: z
    .string()
    .nullable()
    .meta({ description: "First day of the period, `YYYY-MM-DD`." }),
  period_end: z.string().nullable().meta({ description: "Last day of the period, `YYYY-MM-DD`." }),
}).meta({ id: "PeriodLink", examples: [] });

const subscriptionExample = {
  _id: "6740f4c38d2b5e6fa1c70934",
  package_id: "6740f2a11c5b8e9f03d7a612",
  email: "ana@example.com",
  phone_no: "+60123456789",
  status: "created" as const,
  business_id: 1001,
  tokenization_id: null,
  current_period_start: null,
  current_period_end: null,
  next_charge_at: "2027-01-30T16:00:00.000000Z",
  test_clock_id: null,
  cancelled_at: null,
  version: 1,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
  package: packageExample,
  payment_links: [],
};

export const Subscription = z
  .object({
    _id: Id,
    package_id: Id,
    email: z.string(),
    phone_no: z.string().nullable(),
    status: z.enum(subscriptionStatuses),
    business_id: BusinessId,
    tokenization_id: Id.nullable().describe(
      "The payer's saved method that is charged; without one each period has a payment link.",
    ),
    current_period_start: z.string().nullable().meta({
      description:
        "First day of the latest period that started, `YYYY-MM-DD`; null before the first.",
    }),
    current_period_end: z.string().nullable().meta({ description: "Last day of that period." }),
    next_charge_at: Timestamp.nullable().describe(
      "When the saved method is charged next, or the next link is created; null while an unpaid period is awaited.",
    ),
    test_clock_id: Id.nullable().describe("The test clock it follows."),
    cancelled_at: Timestamp.nullable(),
    version: VersionOut,
    created_at: Timestamp,
    updated_at: Timestamp,
    package: Package,
    payment_links: z
      .array(PeriodLink)
      .meta({ description: "The period links, newest first, at most 25." }),
  })
  .meta({ id: "Subscription", examples: [subscriptionExample] });

export type SubscriptionInput = z.output<typeof SubscriptionInput>;
export type SubscriptionUpdate = z.output<typeof SubscriptionUpdate>;
export type Subscription = z.output<typeof Subscription>;

export const SubscriptionParams = z.object({ subscription_id: Id });
/** The filters that read each field; none for a text that only the search reads. */
const fieldFilters = {
  package_id: ["package_id"],
  email: ["email"],
  phone_no: [],
  test_clock_id: ["test_clock_id"],
} as const satisfies Record<keyof SubscriptionInput, readonly FilterName[]>;

export const SubscriptionQuery = listQuery(
  [
    ...Object.values(fieldFilters).flat(),
    "tokenization_id",
    "currency",
    "created_from",
    "created_to",
    "q",
  ],
  subscriptionStatuses,
  ["email"],
).extend({ q: searchOf("Part of the e-mail address or of the package's name, or an id.") });
export type SubscriptionQuery = z.output<typeof SubscriptionQuery>;

const tag = "Subscriptions";
const one = { params: SubscriptionParams, response: Subscription, tag };

export const createSubscription = endpoint({
  id: "createSubscription",
  method: "POST",
  path: "/subscriptions",
  tag,
  money: true,
  summary: "Create a subscription",
  body: SubscriptionInput,
  response: Subscription,
  description: "Answers `created`, always; the first period is charged by a job.",
});
export const listSubscriptions = endpoint({
  id: "listSubscriptions",
  method: "GET",
  path: "/subscriptions",
  tag,
  summary: "List subscriptions",
  description: "Newest first, with cancelled ones.",
  query: SubscriptionQuery,
  response: page(Subscription),
});
export const getSubscription = endpoint({
  ...one,
  id: "getSubscription",
  method: "GET",
  path: "/subscriptions/{subscription_id}",
  summary: "Get a subscription",
  description: "With its package and the payment links of its latest periods.",
});
export const updateSubscription = endpoint({
  ...one,
  id: "updateSubscription",
  method: "PUT",
  path: "/subscriptions/{subscription_id}",
  summary: "Update or cancel a subscription",
  versioned: true,
  body: SubscriptionUpdate,
  description:
    "An absent field is unchanged; `phone_no: null` clears it. With another address the open period link moves there, and a mail with it is written. Cancelling stops all further charges at once and cannot be undone.",
  conflict: "The subscription is cancelled.",
});
export const deleteSubscription = endpoint({
  ...one,
  id: "deleteSubscription",
  method: "DELETE",
  path: "/subscriptions/{subscription_id}",
  summary: "Delete a subscription",
  versioned: true,
  description: "Cannot be undone.",
});
