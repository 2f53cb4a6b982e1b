"use client";

import { Fragment } from "react";
import { Money } from "@/components/ui/money";
import { useEndpoint } from "@/lib/client/hooks";
import type { getPaymentLinkTotals, getPaymentTotals } from "@/lib/contract/operations";
import type { Page } from "@/lib/contract/envelope";

/** The server reads each row that it adds up, again after each change. */
const ADDED_UP_ROWS = 10_000;

type ListSumsProps = {
  of: typeof getPaymentTotals | typeof getPaymentLinkTotals;
  list: {
    query: { page: number; per_page: number; status?: string; collected?: string };
    filtered: boolean;
  };
  page: Page<unknown> | undefined;
};

/** What the rows of a filtered list come to, for each currency: the figure that led here. Nothing for a list of very many rows. */
export function ListSums({ of, list, page }: ListSumsProps) {
  const total = page && "total" in page ? page.total : 0;
  const { page: _page, per_page: _perPage, ...query } = list.query;
  const { data } = useEndpoint(
    of,
    { query },
    { enabled: list.filtered && total > 0 && total <= ADDED_UP_ROWS },
  );
  // Attempts of every outcome have no sum that a person could use: of these only what came is said.
  const isMixed = of.id === "getPaymentTotals" && !query.status && query.collected !== "true";
  const shown = data?.filter((sums) => !isMixed || collectedOf(sums) !== 0);
  return shown?.length ? (
    <>
      {shown.map((sums) => (
        <Fragment key={sums.currency}>
          {" · "}
          <Sum {...(isMixed ? { currency: sums.currency, amount: collectedOf(sums) } : sums)} />
        </Fragment>
      ))}{" "}
      {isMixed ? "collected, less refunds" : "in all"}
    </>
  ) : null;
}

const collectedOf = (sums: object): number =>
  "collected_amount" in sums ? Number(sums.collected_amount) : 0;

type SumProps = { currency: string; amount: number; refunded_amount?: number };

function Sum({ currency, amount, refunded_amount: refunded = 0 }: SumProps) {
  const money = (value: number) => <Money amount={value} currency={currency} />;
  return refunded === 0 ? (
    <span className="font-medium text-ink">{money(amount)}</span>
  ) : (
    <span>
      {money(amount)} less {money(refunded)} refunded:{" "}
      <span className="font-medium text-ink">{money(amount - refunded)}</span>
    </span>
  );
}
