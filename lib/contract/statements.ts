import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { AmountDecimal, CurrencyOut, Id, Timestamp } from "./fields";
import { otherDays } from "./ledger";
import { listQuery } from "./lists";
import { manualMethods, statementKinds } from "./values";

const month = "2026-11";

export const StatementParams = z.object({
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/)
    .meta({ description: "Year and month, in the business's time zone.", examples: [month] }),
});

const sum = (description: string) => z.int().meta({ description });
const sums = {
  gross: sum("What payers paid, minor units."),
  refunds: sum("What went back to them."),
  disputes: sum("What payers' banks took back, less what they returned."),
  fees: sum("What gateways kept."),
  net: sum("`gross` less `refunds` less `disputes` less `fees`."),
};

export const StatementCurrency = z.object({
  currency: CurrencyOut,
  opening: sum("The balance before the month: the net of everything booked until then."),
  ...sums,
  closing: sum("The balance after the month: `opening` and `net`."),
  manual: sum("The part of `net` that was recorded by hand."),
  without_fee: sum("The part of `gross` for which the gateway has stated no fee."),
});
export type StatementCurrency = z.output<typeof StatementCurrency>;

export const Statement = z
  .object({
    month: z.string(),
    time_zone: z.string().meta({ description: "The business's zone: the month is its month." }),
    from: Timestamp.describe("The first moment of the month."),
    to: Timestamp.describe("The last moment of the month, inclusive."),
    currencies: z
      .array(StatementCurrency)
      .meta({ description: "One for each currency with a balance or a line, by code." }),
    other_days: otherDays("the month"),
    lines: sum("How many lines there are."),
  })
  .meta({
    id: "Statement",
    description: "The balance of a month: what the ledger booked in it.",
    examples: [
      {
        month,
        time_zone: "Asia/Kuala_Lumpur",
        from: "2026-10-31T16:00:00.000000Z",
        to: "2026-11-30T15:59:59.999999Z",
        currencies: [
          {
            currency: "MYR",
            opening: 100000,
            gross: 12550,
            refunds: 500,
            disputes: 0,
            fees: 251,
            net: 11799,
            closing: 111799,
            manual: 0,
            without_fee: 0,
          },
        ],
        other_days: [],
        lines: 2,
      },
    ],
  });
export type Statement = z.output<typeof Statement>;

export const StatementLine = z
  .object({
    _id: Id,
    kind: z.enum(statementKinds).meta({
      description:
        "`payment`: a payment with its fee. `fee`: a fee that was booked in another month or currency than its payment. `refund` and `dispute`: money that went back, or returned.",
    }),
    currency: CurrencyOut,
    ...sums,
    net_decimal: AmountDecimal,
    payment_id: Id,
    refund_id: Id.nullable(),
    email: z.string().nullable().meta({ description: "The payer's e-mail address." }),
    title: z.string().meta({ description: "What was paid for." }),
    reference: z.string().nullable(),
    method: z.enum(manualMethods).nullable().meta({
      description:
        "How the money of the payment came, when it was recorded by hand. Null when a gateway took it.",
    }),
    paid_at: Timestamp.nullable().describe(
      "When the money of a `payment` came. One that is recorded by hand can come on an earlier day than it is booked, also in another month. Null for other kinds.",
    ),
    created_at: Timestamp.describe("When it was booked."),
  })
  .meta({
    id: "StatementLine",
    description: "A payment, a refund or a dispute on a statement. The lines add up to its sums.",
    examples: [
      {
        _id: "6740f5d59e3c6f70b2d81a48",
        kind: "payment",
        currency: "MYR",
        gross: 12550,
        refunds: 0,
        disputes: 0,
        fees: 251,
        net: 12299,
        net_decimal: "122.99",
        payment_id: "6740f5d49e3c6f70b2d81a45",
        refund_id: null,
        email: "ana@example.com",
        title: "Invoice 1042",
        reference: "INV-1042",
        method: null,
        paid_at: "2026-11-20T13:41:05.902177Z",
        created_at: "2026-11-20T13:41:05.902177Z",
      },
    ],
  });
export type StatementLine = z.output<typeof StatementLine>;

export const StatementQuery = listQuery([], ["-"] as const).omit({ status: true });
export type StatementQuery = z.output<typeof StatementQuery>;

const tag = "Balance";

export const getStatement = endpoint({
  id: "getStatement",
  method: "GET",
  path: "/statements/{month}",
  tag,
  summary: "Get a month's statement",
  description: "The sums of the month in each currency, in the time zone of the business.",
  params: StatementParams,
  response: Statement,
});
export const listStatementLines = endpoint({
  id: "listStatementLines",
  method: "GET",
  path: "/statements/{month}/lines",
  tag,
  summary: "List a statement's lines",
  description: "Newest first: payments, fees, refunds and disputes of the month.",
  params: StatementParams,
  query: StatementQuery,
  response: page(StatementLine),
});
