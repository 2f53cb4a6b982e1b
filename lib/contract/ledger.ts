import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { AmountDecimal, BusinessId, Currency, CurrencyOut, Id, Timestamp } from "./fields";
import { filters, listQuery } from "./lists";
import { FORMER_MANUAL_ACCOUNT, ledgerAccounts, ledgerKinds } from "./values";

export const LedgerEntry = z
  .object({
    _id: Id,
    posting: z.string().meta({ description: "Entries of one posting sum to zero." }),
    kind: z.enum(ledgerKinds).meta({
      description:
        "`gross`: a payment came. `fee`: what the gateway kept of it. `refund`: money went back, or returned when the bank could not pay it out. `dispute`: the payer's bank took or returned money, with the gateway's fee.",
    }),
    account: z.enum(ledgerAccounts).meta({
      description:
        "`gateway` and `manual`: where the money is; `sales`, `refunds`, `disputes` and `fees`: what it is.",
    }),
    amount: z.int().meta({ description: "Minor units; a debit is positive, a credit negative." }),
    amount_decimal: AmountDecimal,
    currency: CurrencyOut,
    payment_id: Id,
    refund_id: Id.nullable(),
    business_id: BusinessId,
    created_at: Timestamp,
  })
  .meta({
    id: "LedgerEntry",
    description: "One side of a posting. Never changed, never deleted.",
    examples: [
      {
        _id: "6740f5d59e3c6f70b2d81a48",
        posting: "gross:6740f5d49e3c6f70b2d81a45",
        kind: "gross",
        account: "gateway",
        amount: 12550,
        amount_decimal: "125.50",
        currency: "MYR",
        payment_id: "6740f5d49e3c6f70b2d81a45",
        refund_id: null,
        business_id: 1001,
        created_at: "2026-11-20T13:41:05.902177Z",
      },
    ],
  });
export type LedgerEntry = z.output<typeof LedgerEntry>;

export const LedgerQuery = listQuery(
  ["currency", "amount_min", "amount_max", "created_from", "created_to"],
  ["-"] as const,
  ["amount"],
)
  .omit({ status: true })
  .extend({
    kind: z.enum(ledgerKinds).optional().meta({ description: "Of this kind." }),
    account: z
      .enum([...ledgerAccounts, FORMER_MANUAL_ACCOUNT])
      .transform((account) => (account === FORMER_MANUAL_ACCOUNT ? "manual" : account))
      .optional()
      .meta({ description: "On this account. `by_hand` is the former name of `manual`." }),
    payment_id: Id.optional().describe("Of this payment."),
  });
export type LedgerQuery = z.output<typeof LedgerQuery>;

export const LedgerEntryParams = z.object({ ledger_entry_id: Id });

export const BalanceQuery = z.object({
  currency: Currency.optional().describe("Only this currency."),
  created_from: filters.created_from.optional(),
  created_to: filters.created_to.optional(),
});
export type BalanceQuery = z.output<typeof BalanceQuery>;

const sum = (description: string) => z.int().meta({ description });

export const BalanceCurrency = z.object({
  currency: CurrencyOut,
  gross: sum("What payers paid, minor units."),
  refunds: sum("What went back to them."),
  disputes: sum("What payers' banks took back and have not returned."),
  fees: sum("What gateways kept."),
  net: sum("`gross` less `refunds` less `disputes` less `fees`."),
  gateway: sum("The part of `net` that gateways hold or have paid out."),
  manual: sum("The part of `net` that was recorded by hand."),
});
export type BalanceCurrency = z.output<typeof BalanceCurrency>;

/** Sums of payments recorded by hand that are of two ranges: they came in one and were booked in another. */
export const otherDays = (range: string) =>
  z
    .array(
      z.object({
        currency: CurrencyOut,
        booked: sum(`What came within ${range} and was booked outside it, minor units.`),
        paid: sum(`What was booked within ${range} and came outside it.`),
      }),
    )
    .meta({
      description: `Payments recorded by hand can be booked later than they came. One for each currency with such payments around ${range}, by code.`,
    });
export type OtherDays = z.output<ReturnType<typeof otherDays>>;

export const Balance = z
  .object({
    currencies: z
      .array(BalanceCurrency)
      .meta({ description: "One for each currency that has entries, by code." }),
    other_days: otherDays("the range"),
  })
  .meta({
    id: "Balance",
    description: "The ledger's sums: over all time, or of what was booked within a range.",
    examples: [
      {
        currencies: [
          {
            currency: "MYR",
            gross: 12550,
            refunds: 500,
            disputes: 0,
            fees: 251,
            net: 11799,
            gateway: 11799,
            manual: 0,
          },
        ],
        other_days: [],
      },
    ],
  });
export type Balance = z.output<typeof Balance>;

const tag = "Balance";

export const getBalance = endpoint({
  id: "getBalance",
  method: "GET",
  path: "/balance",
  tag,
  summary: "Get the balance",
  description: "The sums of the ledger in each currency.",
  query: BalanceQuery,
  response: Balance,
});
export const listLedgerEntries = endpoint({
  id: "listLedgerEntries",
  method: "GET",
  path: "/ledger-entries",
  tag,
  summary: "List ledger entries",
  description: "Newest first. Entries are only added, never changed.",
  query: LedgerQuery,
  response: page(LedgerEntry),
});
export const getLedgerEntry = endpoint({
  id: "getLedgerEntry",
  method: "GET",
  path: "/ledger-entries/{ledger_entry_id}",
  tag,
  summary: "Get a ledger entry",
  description: "Entries never change.",
  params: LedgerEntryParams,
  response: LedgerEntry,
});
