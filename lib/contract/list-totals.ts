import * as z from "zod";
import { endpoint } from "./endpoint";
import { AmountDecimal, CurrencyOut } from "./fields";
import { PaymentExportQuery, PaymentLinkExportQuery } from "./files";

const sum = (description: string) => z.int().describe(`${description}, in minor units.`);

export const PaymentListTotals = z
  .array(
    z.object({
      currency: CurrencyOut,
      count: z.int().describe("Payments that the filters match, whatever became of them."),
      amount: sum("Their amounts"),
      amount_decimal: AmountDecimal,
      refunded_amount: sum("What of it went back by refunds"),
      refunded_amount_decimal: AmountDecimal,
      collected_amount: sum("What was collected by them, less refunds, as the overview counts it"),
      collected_amount_decimal: AmountDecimal,
    }),
  )
  .meta({
    id: "PaymentListTotals",
    examples: [
      [
        {
          currency: "MYR",
          count: 18,
          amount: 243630,
          amount_decimal: "2436.30",
          refunded_amount: 16015,
          refunded_amount_decimal: "160.15",
          collected_amount: 227615,
          collected_amount_decimal: "2276.15",
        },
      ],
    ],
  });
export type PaymentListTotals = z.output<typeof PaymentListTotals>;

export const PaymentLinkListTotals = z
  .array(
    z.object({
      currency: CurrencyOut,
      count: z.int().describe("Payment links that the filters match."),
      amount: sum("Their amounts"),
      amount_decimal: AmountDecimal,
    }),
  )
  .meta({
    id: "PaymentLinkListTotals",
    examples: [[{ currency: "MYR", count: 295, amount: 5562425, amount_decimal: "55624.25" }]],
  });
export type PaymentLinkListTotals = z.output<typeof PaymentLinkListTotals>;

const description =
  "One entry for each currency, of all rows that `GET` of the list would show with these filters. The rows are read one by one: with many of them, a 429 after 8 seconds.";

export const getPaymentTotals = endpoint({
  id: "getPaymentTotals",
  method: "GET",
  path: "/payments/totals",
  tag: "Payments",
  summary: "What listed payments come to",
  query: PaymentExportQuery,
  response: PaymentListTotals,
  description,
});
export const getPaymentLinkTotals = endpoint({
  id: "getPaymentLinkTotals",
  method: "GET",
  path: "/payment-links/totals",
  tag: "Payment links",
  summary: "What listed payment links come to",
  query: PaymentLinkExportQuery,
  response: PaymentLinkListTotals,
  description,
});
