"use client";

import { Ellipsis } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { frequencyLabel, termsOf } from "@/components/packages/words";
import { PaymentsCard } from "@/components/payments/payments-card";
import { ClockCard } from "@/components/record/clock-card";
import { CustomerLink } from "@/components/record/customer-link";
import { type FactsOf, given, shownFacts } from "@/components/record/facts";
import { GoneNotice } from "@/components/record/gone-notice";
import { JsonCard } from "@/components/record/json-card";
import { RecordLink } from "@/components/record/record-link";
import { TimelineCard } from "@/components/record/timeline";
import { Unloaded } from "@/components/record/unloaded";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Menu } from "@/components/ui/menu";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Day, Time } from "@/components/ui/time";
import { useChosenRow } from "@/lib/client/chosen-row";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import {
  getSubscription,
  getSubscriptionTimeline,
  getTokenization,
  updateSubscription,
} from "@/lib/contract/operations";
import type { Subscription } from "@/lib/contract/subscriptions";
import { methodOf } from "@/components/tokens/words";
import { CancelDialog, DeleteDialog } from "./end-dialogs";
import { PeriodsCard } from "./periods-card";
import { SubscriptionMenuItems } from "./subscription-menu";
import { meaningOf, periodLink } from "./words";

/** Everything about one subscription. */
export function SubscriptionDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const router = useRouter();
  const input = { params: { subscription_id: id } };
  const [gone, setGone] = useState(false);
  const answer = useEndpoint(getSubscription, input, { enabled: !gone });
  const [cancelling, setCancelling] = useChosenRow(answer.data && [answer.data]);
  const [deleting, setDeleting] = useChosenRow(answer.data && [answer.data]);
  const timeline = useEndpoint(getSubscriptionTimeline, input, { enabled: !gone });
  const subscription = answer.data;
  useTitle(subscription?.package.name, subscription?.email);
  const back = { href: path("/subscriptions"), label: "Subscriptions" };
  if (!subscription) return <Unloaded title="Subscription" back={back} answer={answer} />;
  const { package: pack } = subscription;
  return (
    <>
      <PageHeader
        title={subscription.email}
        badge={<StatusBadge status={subscription.status} />}
        back={back}
        description={
          <span dir="auto" lang="">
            {pack.name}, {termsOf(pack)}
          </span>
        }
        actions={
          <>
            {subscription.status !== "cancel" && may(updateSubscription) ? (
              <Button variant="danger" onClick={() => setCancelling(subscription)}>
                Cancel subscription…
              </Button>
            ) : null}
            <Menu
              trigger={
                <Button aria-label="More actions" className="px-2.5!">
                  <Ellipsis aria-hidden="true" className="size-4" />
                </Button>
              }
            >
              <SubscriptionMenuItems
                subscription={subscription}
                onCancel={setCancelling}
                onDelete={setDeleting}
              />
            </Menu>
          </>
        }
      />
      <GoneNotice kind="subscription" id={id} answer={answer} back={back} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-5">
          <NextCharge subscription={subscription} />
          {subscription.test_clock_id ? (
            <ClockCard
              clockId={subscription.test_clock_id}
              noun="subscription"
              over={subscription.status === "cancel"}
              moments={[{ label: "To the next charge", at: subscription.next_charge_at }]}
              timeline={timeline.data}
            />
          ) : null}
          <PeriodsCard subscription={subscription} />
          <PaymentsCard of={{ subscription_id: id }} none="No payment attempts yet." />
          <TimelineCard answer={timeline} currency={pack.currency} />
          <JsonCard record={subscription} />
        </div>
        <Card title="Subscription" className="max-xl:order-first">
          <Facts items={shownFacts(factsOf(subscription))} />
        </Card>
      </div>
      <CancelDialog subscription={cancelling} onClose={() => setCancelling(null)} />
      <DeleteDialog
        subscription={deleting}
        onClose={() => setDeleting(null)}
        onDeleted={() => {
          setGone(true);
          router.push(path("/subscriptions"));
        }}
      />
    </>
  );
}

function NextCharge({ subscription }: { subscription: Subscription }) {
  const { package: pack, next_charge_at: next, status } = subscription;
  return (
    <section
      aria-label="Next charge"
      className="guilloche rounded-card bg-surface p-5 shadow-sheet"
    >
      <h2 className="text-small font-medium text-muted">Next charge</h2>
      <p className="mt-0.5 text-title font-semibold tracking-[-0.012em]">
        {next ? (
          <>
            <Money amount={pack.amount} currency={pack.currency} /> on <Day value={next} />
          </>
        ) : status === "cancel" ? (
          "None: it is cancelled"
        ) : (
          "Waits until the open period is paid"
        )}
      </p>
      <HowCharged subscription={subscription} />
    </section>
  );
}

/** What the state means and what is charged, which depends on whether the saved method can still be charged. */
function HowCharged({ subscription }: { subscription: Subscription }) {
  const { status, tokenization_id: id } = subscription;
  const unsent = useUnsentReason();
  const isSaved = id !== null && status !== "cancel";
  const token = useEndpoint(getTokenization, { params: { token: id ?? "" } }, { enabled: isSaved });
  if (isSaved && token.isPending)
    return (
      <Loading label="Loading the saved payment method">
        <Skeleton className="mt-1.5 w-2/3" />
        <Skeleton className="mt-1.5 w-1/3" />
      </Loading>
    );
  const saved = token.data?.status === "active" ? token.data : undefined;
  return (
    <>
      <p className="mt-1.5 max-w-prose text-muted">
        {meaningOf(subscription, saved !== undefined)}
      </p>
      {status === "cancel" ? null : token.error && !token.data ? (
        <div className="mt-3">
          <ErrorState
            title="The saved payment method did not load"
            error={token.error}
            retry={() => void token.refetch()}
          />
        </div>
      ) : (
        <p className="mt-1.5 max-w-prose text-muted">
          {id === null ? (
            `No saved payment method is charged for this subscription: ${periodLink(unsent)}`
          ) : saved ? (
            <>
              Will be charged to{" "}
              <RecordLink to={`/tokens/${id}`} text={methodOf(saved) ?? "a saved payment method"} />
              .
            </>
          ) : (
            <>
              The <RecordLink to={`/tokens/${id}`} text="saved payment method" /> can no longer be
              charged: {periodLink(unsent)}
            </>
          )}
        </p>
      )}
    </>
  );
}

const factsOf = (one: Subscription): FactsOf<Subscription> => ({
  status: null,
  business_id: null,
  tokenization_id: null,
  current_period_end: null,
  test_clock_id: null,
  version: null,
  payment_links: null,
  email: { label: "Subscriber", value: <CustomerLink email={one.email} /> },
  phone_no: { label: "Phone number", value: one.phone_no },
  package_id: {
    label: "Package",
    value: <RecordLink to={`/packages/${one.package_id}`} text={one.package.name} />,
  },
  package: { label: "How often", value: frequencyLabel(one.package.frequency) },
  current_period_start: {
    label: "This period",
    value: one.current_period_start ? (
      <>
        <Day value={one.current_period_start} /> to <Day value={one.current_period_end} />
      </>
    ) : (
      <span className="font-normal text-muted">Not started</span>
    ),
  },
  next_charge_at: { label: "Next charge", value: <Day value={one.next_charge_at} none="None" /> },
  cancelled_at: given("Cancelled", one.cancelled_at && <Time value={one.cancelled_at} />),
  created_at: { label: "Created", value: <Time value={one.created_at} /> },
  updated_at: { label: "Changed", value: <Time value={one.updated_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{one._id}</span> },
});
