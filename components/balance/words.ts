import type { LedgerEntry } from "@/lib/contract/ledger";
import { ledgerAccounts, ledgerKinds } from "@/lib/contract/values";

const kinds: Record<LedgerEntry["kind"], string> = {
  gross: "Payment",
  fee: "Fee",
  refund: "Refund",
  dispute: "Dispute",
};
const accounts: Record<LedgerEntry["account"], string> = {
  gateway: "Payment provider",
  manual: "By hand",
  sales: "Sales",
  refunds: "Refunds",
  disputes: "Disputes",
  fees: "Fees",
};

export const kindWord = (kind: LedgerEntry["kind"]): string => kinds[kind];
export const accountWord = (account: LedgerEntry["account"]): string => accounts[account];

export const kindOptions = ledgerKinds.map((value) => ({ value, label: kinds[value] }));
export const accountOptions = ledgerAccounts.map((value) => ({ value, label: accounts[value] }));

/** What the sums above the payments count, where days or a currency are chosen; null where neither is. */
export function bookedNote({ days, currency }: { days: boolean; currency: string }): string | null {
  if (days && currency)
    return `What was booked in ${currency} in these days. Each payment, refund and fee counts on the day and in the currency it was booked in, also where it belongs to a payment of another day or currency`;
  if (days)
    return "What was booked in these days. Each payment, refund and fee counts on the day it was booked, also where it belongs to a payment of another day";
  return currency
    ? `What was booked in ${currency}. Each fee counts in the currency it was booked in, also where its payment is in another`
    : null;
}

/** Which filters the sums above a list of entries leave out; null where none is set. */
export const sumsNote = ({ kind, account }: { kind: string; account: string }): string | null => {
  const filters = [...(kind ? ["“For”"] : []), ...(account ? ["“Account”"] : [])];
  if (filters.length === 0) return null;
  return `${filters.join(" and ")} ${filters.length === 1 ? "doesn’t" : "don’t"} change these sums.`;
};
