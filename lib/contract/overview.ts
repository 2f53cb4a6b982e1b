import * as z from "zod";
import { endpoint } from "./endpoint";
import { Currency, CurrencyOut, Day, Id, Timestamp } from "./fields";
import { attentionKinds, firstSteps, goLiveSteps } from "./values";

export const OverviewQuery = z.object({
  from: Day.optional().meta({
    description: "First day, in the business's time zone; default 29 days before `to`.",
  }),
  to: Day.optional().meta({ description: "Last day; default today. At most 731 days in all." }),
  currency: Currency.optional(),
});

const sum = z.int().meta({ description: "Minor units." });

export const OverviewCurrency = z.object({
  currency: CurrencyOut,
  collected: sum.meta({
    description: "What came in within the range less what of it was refunded, minor units.",
  }),
  collected_count: z.int(),
  previous_collected: sum.meta({
    description: "The same sum for the equally long range before it, in minor units.",
  }),
  previous_collected_count: z.int(),
  open: sum.meta({ description: "Payment links that wait to be paid, now, minor units." }),
  open_count: z.int(),
  failed: sum.meta({ description: "Attempts within the range that failed, minor units." }),
  failed_count: z.int(),
  recurring: sum.meta({
    description: "What the active subscriptions bring in a month, minor units, rounded.",
  }),
  recurring_count: z.int(),
  links: z
    .object({
      created: z.int(),
      mailed: z.int().meta({
        description: "A mail server accepted a mail that asks for the payment.",
      }),
      opened: z.int().meta({
        description: "The page was opened, by the payer or anyone else but staff.",
      }),
      tried: z.int().meta({
        description: "A payment was started or recorded, whatever became of it.",
      }),
      paid: z.int(),
    })
    .meta({
      description:
        "Payment links created within the range and not deleted, and how many of these have come how far, now. Each number is the count of `GET /payment-links` with `created_from`, `created_to` and `currency`, and `mailed`, `opened`, `tried` or `paid`. A link can skip a stage: one that is paid without a mail counts as paid, and not as mailed.",
    }),
  days: z
    .array(
      z.object({
        day: z.string(),
        collected: sum,
        collected_count: z.int(),
        failed_count: z.int(),
      }),
    )
    .meta({ description: "Every day of the range, by the business's time zone." }),
});

export const Attention = z.object({
  kind: z.enum(attentionKinds),
  count: z.int(),
  latest: z
    .array(
      z.object({
        object: z.enum(["payment", "mail", "subscription", "webhook_endpoint"]),
        _id: Id,
        payment_link_id: Id.nullable(),
        title: z.string(),
        detail: z.string().nullable(),
        amount: z.int().nullable(),
        currency: z.string().nullable(),
        at: Timestamp,
      }),
    )
    .meta({ description: "The newest five." }),
});

export const Overview = z
  .object({
    from: z.string(),
    to: z.string(),
    time_zone: z.string(),
    default_currency: z.string(),
    currencies: z
      .array(OverviewCurrency)
      .meta({ description: "The default currency first, then those that are in use." }),
    attention: z.array(Attention).meta({ description: "Kinds of which there are any." }),
    steps: z.array(z.object({ step: z.enum(firstSteps), done: z.boolean() })),
  })
  .meta({ id: "Overview" });

export type OverviewQuery = z.output<typeof OverviewQuery>;
export type OverviewCurrency = z.output<typeof OverviewCurrency>;
export type Attention = z.output<typeof Attention>;
export type Overview = z.output<typeof Overview>;

export const getOverview = endpoint({
  id: "getOverview",
  method: "GET",
  path: "/overview",
  tag: "Overview",
  access: "staff",
  summary: "Money over a range of days, and what needs attention",
  query: OverviewQuery,
  response: Overview,
});

export const GoLive = z
  .object({
    done: z.boolean().meta({ description: "Every step is done that is not optional." }),
    steps: z.array(
      z.object({
        step: z.enum(goLiveSteps),
        done: z.boolean(),
        optional: z.boolean().meta({ description: "Not every business needs it." }),
        note: z.string().nullable().meta({ description: "What is known about it, in words." }),
        at: Timestamp.nullable().describe("When it was last known to be so."),
      }),
    ),
  })
  .meta({
    id: "GoLive",
    description: "What is ready for real money, as the server sees it. The same in both modes.",
    examples: [
      {
        done: false,
        steps: [
          {
            step: "gateway",
            done: true,
            optional: false,
            note: "Stripe accepted the key of Tide & Co.",
            at: "2026-11-20T13:34:45.423258Z",
          },
          {
            step: "mail",
            done: false,
            optional: false,
            note: "This install has no mail server.",
            at: null,
          },
        ],
      },
    ],
  });
export type GoLive = z.output<typeof GoLive>;

export const getGoLive = endpoint({
  id: "getGoLive",
  method: "GET",
  path: "/go-live",
  tag: "Overview",
  access: "staff",
  summary: "What is ready for live mode",
  response: GoLive,
});
export const sendTestMail = endpoint({
  id: "sendTestMail",
  method: "POST",
  path: "/go-live/test-mail",
  tag: "Overview",
  access: "staff",
  roles: ["owner", "admin"],
  summary: "Send a test mail to yourself",
  response: z
    .object({ recipient: z.string() })
    .meta({ id: "TestMail", examples: [{ recipient: "ana@example.com" }] }),
  description:
    "To the caller's own address, which must be confirmed. `GET /go-live` says what the mail server answered.",
  conflict: "The install has no mail server.",
});
