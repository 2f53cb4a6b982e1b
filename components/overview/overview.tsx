"use client";

import { Plus } from "lucide-react";
import { parseAsString, useQueryStates } from "nuqs";
import { NoMailServer } from "@/components/mails/no-mail-server";
import { LinkButton } from "@/components/ui/link-button";
import { DateRange } from "@/components/ui/date-range";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { zoneName } from "@/lib/client/use-zone";
import { createPaymentLink, getOverview } from "@/lib/contract/operations";
import type { Overview as Answer, OverviewCurrency } from "@/lib/contract/overview";
import { GoLiveCard } from "@/components/go-live/card";
import { AttentionCard } from "./attention";
import { ChartCard } from "./chart-card";
import { Figures } from "./figures";
import { LinkStages } from "./link-stages";
import { LatestPayments } from "./latest-payments";
import { FirstSteps } from "./first-steps";

/** Money over a range of days, and what needs a person. Range and currency are in the address. */
export function Overview() {
  const { path } = useScope();
  const { may } = useMembership();
  const [{ from, to, currency }, set] = useQueryStates(
    { from: parseAsString, to: parseAsString, currency: parseAsString },
    { history: "push", scroll: false },
  );
  const answer = useEndpoint(getOverview, { query: { from, to } }, { keepPrevious: true });
  const { data } = answer;
  return (
    <>
      <PageHeader
        title="Overview"
        description={
          <>
            What was collected, what is open, and what needs you.
            {data ? ` Days are in ${zoneName(data.time_zone)}.` : ""}
          </>
        }
        actions={
          <>
            {data ? (
              <DateRange
                label="Range"
                open={false}
                from={data.from}
                to={data.to}
                onChange={(range) => void set(range)}
              />
            ) : (
              <Skeleton className="h-9.5 w-48" />
            )}
            {may(createPaymentLink) ? (
              <LinkButton href={path("/payment-links/new")} variant="primary" aria-keyshortcuts="c">
                <Plus aria-hidden="true" className="size-4" />
                Create payment link
              </LinkButton>
            ) : null}
          </>
        }
      />
      <NoMailServer />
      {answer.isPending ? (
        <OverviewSkeleton />
      ) : answer.error && (!data || answer.isPlaceholderData) ? (
        // A range that is refused stays refused.
        <ErrorState
          error={answer.error}
          retry={() =>
            void (answer.error.status === 422 ? set({ from: null, to: null }) : answer.refetch())
          }
        />
      ) : data ? (
        <div
          aria-busy={answer.isPlaceholderData || undefined}
          className={
            answer.isPlaceholderData ? "opacity-60 transition-opacity" : "transition-opacity"
          }
        >
          <Full
            data={data}
            currency={currency}
            onCurrency={(next) => void set({ currency: next })}
          />
        </div>
      ) : null}
    </>
  );
}

function Full({
  data,
  currency,
  onCurrency,
}: {
  data: Answer;
  currency: string | null;
  onCurrency: (code: string) => void;
}) {
  const { mode } = useScope();
  const paid = data.steps.find(({ step }) => step === "link_paid")?.done;
  // Before the first live payment the other steps may still be impossible.
  const goLiveFirst = mode === "live" && !paid;
  // The default currency comes first, but one that has something is worth more to look at.
  const shown =
    data.currencies.find((one) => one.currency === currency) ??
    data.currencies.find(used) ??
    data.currencies[0];
  return (
    <div className="grid gap-5">
      {goLiveFirst ? <GoLiveCard open /> : null}
      {paid ? null : <FirstSteps steps={data.steps} />}
      {data.currencies.length > 1 && shown ? (
        <Tabs
          label="Currency"
          value={shown.currency}
          onChange={onCurrency}
          items={data.currencies.map((money) => ({
            value: money.currency,
            label: money.currency,
            content: <MoneyOf money={money} range={data} />,
          }))}
        />
      ) : shown ? (
        <MoneyOf money={shown} range={data} />
      ) : null}
      <AttentionCard attention={data.attention} />
      {paid ? <LatestPayments /> : null}
      {paid ? <FirstSteps steps={data.steps} /> : null}
      {goLiveFirst ? null : <GoLiveCard />}
    </div>
  );
}

const used = ({
  collected_count,
  open_count,
  failed_count,
  recurring_count,
  links,
}: OverviewCurrency) =>
  collected_count + open_count + failed_count + recurring_count + links.created > 0;

function MoneyOf({
  money,
  range,
}: {
  money: OverviewCurrency;
  range: { from: string; to: string };
}) {
  return (
    <div className="grid gap-5">
      <Figures money={money} range={range} />
      <LinkStages money={money} range={range} />
      <ChartCard money={money} range={range} />
    </div>
  );
}

function OverviewSkeleton() {
  return (
    <Loading label="Loading the overview">
      <div className="grid gap-5">
        <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
          {["a", "b", "c", "d"].map((key) => (
            <div key={key} className="h-27 rounded-card bg-surface p-5 shadow-sheet">
              <Skeleton className="mb-3 w-1/3" />
              <Skeleton className="h-6 w-2/3" />
            </div>
          ))}
        </div>
        <div className="h-90 rounded-card bg-surface p-5 shadow-sheet">
          <Skeleton className="w-1/4" />
        </div>
      </div>
    </Loading>
  );
}
