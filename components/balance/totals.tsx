"use client";

import type { ReactNode } from "react";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useEndpoint } from "@/lib/client/hooks";
import type { Balance } from "@/lib/contract/ledger";
import { getBalance } from "@/lib/contract/operations";

/** Payments count on the day they were booked, which need not be the day they came. */
export const paymentsBooked = "Payments booked";

type TotalsProps = {
  query: { currency: string; created_from: string; created_to: string };
  /** Those that are shown also where nothing was booked, with zeros. */
  currencies: readonly string[];
  /** What one must know about these sums. */
  children?: ReactNode;
};

/** What came, what went back, what was kept and what is left, of each currency. */
export function Totals({ query, currencies: known, children }: TotalsProps) {
  const answer = useEndpoint(getBalance, { query }, { keepPrevious: true });
  if (answer.isPending)
    return (
      <Loading label="Loading the balance">
        <Skeleton className="mb-5 h-24" />
      </Loading>
    );
  if (answer.error && !answer.data)
    return <ErrorState error={answer.error} retry={() => void answer.refetch()} />;
  const booked = answer.data?.currencies ?? [];
  const nothing = known.filter((code) => booked.every(({ currency }) => currency !== code));
  const shown = [...booked, ...nothing.map((currency) => ({ ...nil, currency }))].sort((a, b) =>
    a.currency < b.currency ? -1 : 1,
  );
  return shown.length === 0 ? null : (
    <div className="mb-6 grid gap-3">
      {shown.map((sums) => (
        <Sums key={sums.currency} sums={sums} />
      ))}
      <OnOtherDays of={answer.data?.other_days ?? []} range="these days" />
      {children}
    </div>
  );
}

type OnOtherDaysProps = { of: Balance["other_days"]; range: "these days" | "this month" };

/** Why sums of what was booked differ from what came. */
export function OnOtherDays({ of, range }: OnOtherDaysProps) {
  const other = range === "these days" ? "on other days" : "in another month";
  return of.flatMap(({ currency, booked, paid }) =>
    [
      { amount: booked, text: `came in ${range} and was booked ${other}.` },
      { amount: paid, text: `was booked in ${range} and came ${other}.` },
    ].map(({ amount, text }) =>
      amount === 0 ? null : (
        <p key={currency + text} className="text-fine text-muted">
          <Money amount={amount} currency={currency} /> {text}
        </p>
      ),
    ),
  );
}

const nil = { gross: 0, refunds: 0, disputes: 0, fees: 0, net: 0, manual: 0 };

function Sums({ sums }: { sums: typeof nil & { currency: string } }) {
  const { currency, gross, refunds, disputes, fees, net, manual } = sums;
  const figures = [
    { label: paymentsBooked, amount: gross },
    { label: "Refunded", amount: -refunds },
    ...(disputes === 0 ? [] : [{ label: "Taken by disputes", amount: -disputes }]),
    { label: "Fees", amount: -fees },
    { label: "Net", amount: net },
  ];
  return (
    <Figures label={`Balance in ${currency}`} currency={currency} figures={figures}>
      <ByHand amount={manual} currency={currency} />
    </Figures>
  );
}

/** How much of a net never went through the payment provider. */
export function ByHand({ amount, currency }: { amount: number; currency: string }) {
  return amount === 0 ? null : (
    <p className="mt-2 text-fine text-muted">
      Of the net, <Money amount={amount} currency={currency} /> was recorded by hand.
    </p>
  );
}

type FiguresProps = {
  label: string;
  currency: string;
  /** The last one is what is left. */
  figures: readonly { label: string; amount: number }[];
  children?: ReactNode;
};

const wide: Record<number, string> = { 4: "xl:grid-cols-4", 5: "xl:grid-cols-5" };

/** The sums of a currency beside each other. */
export function Figures({ label: name, currency, figures, children }: FiguresProps) {
  return (
    <section aria-label={name} className="guilloche rounded-card bg-surface px-5 py-4 shadow-sheet">
      <h2 className="sr-only">{name}</h2>
      <dl
        className={`grid gap-x-6 gap-y-2 sm:grid-cols-2 ${wide[figures.length] ?? "xl:grid-cols-6"}`}
      >
        {figures.map(({ label, amount }) => (
          <div
            key={label}
            className="max-sm:flex max-sm:items-baseline max-sm:justify-between max-sm:gap-3"
          >
            <dt className="text-muted">{label}</dt>
            <dd className={label === figures.at(-1)?.label ? "font-semibold" : "font-medium"}>
              <Money
                amount={amount === 0 ? 0 : amount}
                currency={currency}
                className="text-lead tracking-[-0.012em]"
              />
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </section>
  );
}
