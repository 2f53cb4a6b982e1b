"use client";

import { Ellipsis, Pencil, RotateCcw, Undo2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { MailsCard } from "@/components/mails/mails-card";
import { CustomerLink } from "@/components/record/customer-link";
import { DetailSkeleton } from "@/components/record/detail-skeleton";
import { PaymentsCard, paymentsOf } from "@/components/payments/payments-card";
import { ReceiptLink } from "@/components/payments/receipt-link";
import { collected, refundable } from "@/components/payments/words";
import { type FactsOf, given, shownFacts } from "@/components/record/facts";
import { GoneNotice } from "@/components/record/gone-notice";
import { JsonCard } from "@/components/record/json-card";
import { defaultWords, scheduleWords } from "@/components/record/reminder-words";
import { RecordLink } from "@/components/record/record-link";
import { TimelineCard } from "@/components/record/timeline";
import { BottomBar } from "@/components/ui/bottom-bar";
import { Button } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { Card, Facts } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Menu } from "@/components/ui/menu";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useChosenRow } from "@/lib/client/chosen-row";
import { useEndpoint } from "@/lib/client/hooks";
import { later } from "@/lib/client/later";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import {
  createRefund,
  getPaymentLink,
  getPaymentLinkTimeline,
  listPayments,
  reopenPaymentLink,
  updatePaymentLink,
} from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { displayAmount } from "@/lib/kernel/money";
import { AddressPanel } from "./address-panel";
import { DeleteDialog } from "./delete-dialog";
import { LinkMenuItems } from "./link-menu";
import { StatusBadges } from "./link-status";
import { changeable, reopenable } from "./rules";
import { useCancelling } from "./use-link-actions";

const BatchStrip = later(() =>
  import("@/components/batches/strip").then((module) => module.BatchStrip),
);
const ClockCard = later(
  () => import("@/components/record/clock-card").then((module) => module.ClockCard),
  () => <Skeleton className="h-36 rounded-card" />,
);
const RecordPayment = later(() =>
  import("./record-payment").then((module) => module.RecordPayment),
);

/** Everything about one payment link. */
export function LinkDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const router = useRouter();
  const { reopen } = useCancelling();
  const input = { params: { payment_link_id: id } };
  const [recording, setRecording] = useState(false);
  const [gone, setGone] = useState(false);
  const answer = useEndpoint(getPaymentLink, input, { enabled: !gone });
  const [deleting, setDeleting] = useChosenRow(answer.data && [answer.data]);
  const timeline = useEndpoint(getPaymentLinkTimeline, input, { enabled: !gone });
  const payments = useEndpoint(listPayments, paymentsOf({ payment_link_id: id }), {
    enabled: !gone,
  });
  // Of several, the list below leads to each: a button would not say which one it refunds.
  const [paid, another] = (payments.data?.data ?? []).filter(collected);
  const payment = another ? undefined : paid;
  const link = answer.data;
  useTitle(link?.title, link && displayAmount(link.amount, link.currency));
  const back = { href: path("/payment-links"), label: "Payment links" };
  if (!link) {
    return (
      <>
        <PageHeader title="Payment link" back={back} />
        {answer.error ? (
          <ErrorState error={answer.error} retry={() => void answer.refetch()} />
        ) : (
          <DetailSkeleton />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={link.title}
        badge={<StatusBadges link={link} />}
        back={back}
        actions={
          <>
            {reopenable(link) && may(reopenPaymentLink) ? (
              <Button onClick={() => reopen(link)}>
                <RotateCcw aria-hidden="true" className="size-4" />
                Reopen
              </Button>
            ) : null}
            {payment ? <ReceiptLink payment={payment} /> : null}
            {payment && refundable(payment) && may(createRefund) ? (
              <LinkButton href={path(`/payments/${payment._id}?refund=true`)}>
                <Undo2 aria-hidden="true" className="size-4" />
                Refund
              </LinkButton>
            ) : null}
            {changeable(link) && may(updatePaymentLink) ? (
              <LinkButton href={path(`/payment-links/${id}/edit`)}>
                <Pencil aria-hidden="true" className="size-4" />
                Edit
              </LinkButton>
            ) : null}
            <Menu
              trigger={
                <Button aria-label="More actions" className="px-2.5!">
                  <Ellipsis aria-hidden="true" className="size-4" />
                </Button>
              }
            >
              <LinkMenuItems
                link={link}
                onDelete={setDeleting}
                onRecord={() => setRecording(true)}
              />
            </Menu>
          </>
        }
      />
      <GoneNotice kind="payment_link" id={id} answer={answer} back={back} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem] xl:grid-rows-[auto_1fr]">
        <AddressPanel link={link} />
        <Card className="xl:col-start-2 xl:row-span-2 xl:row-start-1">
          <p className="text-heading font-semibold tracking-[-0.022em]">
            <Money amount={link.amount} currency={link.currency} />
          </p>
          {link.description ? (
            <p dir="auto" lang="" className="mt-1 mb-4 whitespace-pre-line text-muted">
              {link.description}
            </p>
          ) : (
            <div className="h-3" />
          )}
          <Facts items={shownFacts(factsOf(link))} />
        </Card>
        <div className="grid min-w-0 gap-5">
          {link.test_clock_id ? (
            <ClockCard
              clockId={link.test_clock_id}
              noun="payment link"
              over={link.status !== "Active"}
              moments={[
                { label: "To the due date", at: link.due_at },
                { label: "To the expiry", at: link.expires_at },
              ]}
              timeline={timeline.data}
            />
          ) : null}
          <TimelineCard answer={timeline} currency={link.currency} />
          <PaymentsCard of={{ payment_link_id: id }} none="No payment attempts yet." />
          <MailsCard
            of={{ payment_link_id: id }}
            timeline={getPaymentLinkTimeline}
            since={link.created_at}
          />
          <JsonCard record={link} />
        </div>
      </div>
      <BottomBar>
        <BatchStrip />
      </BottomBar>
      {recording ? <RecordPayment link={link} open onClose={() => setRecording(false)} /> : null}
      <DeleteDialog
        link={deleting}
        onClose={() => setDeleting(null)}
        onDeleted={() => {
          setGone(true);
          router.push(path("/payment-links"));
        }}
      />
    </>
  );
}

const factsOf = (link: PaymentLink): FactsOf<PaymentLink> => ({
  title: null,
  status: null,
  paid: null,
  amount: null,
  amount_decimal: null,
  currency: null,
  description: null,
  payment_url: null,
  business_id: null,
  version: null,
  email: { label: "Payer", value: <CustomerLink email={link.email} /> },
  phone_no: given("Phone number", link.phone_no),
  reference: { label: "Reference", value: link.reference },
  reference_2: given("Second reference", link.reference_2),
  redirect_url: given("Return address", link.redirect_url),
  import_id: given(
    "Import",
    link.import_id && (
      <RecordLink
        to={`/payment-links?import_id=${link.import_id}`}
        text="All links of this import"
      />
    ),
  ),
  integration_id: given(
    "Shop plugin",
    link.integration_id && (
      <RecordLink
        to={`/payment-links?integration_id=${link.integration_id}`}
        text="All links of this shop"
      />
    ),
  ),
  test_clock_id: given(
    "Test clock",
    link.test_clock_id && (
      <RecordLink
        to={`/payment-links?test_clock_id=${link.test_clock_id}`}
        text="All links of this clock"
      />
    ),
  ),
  subscription_id: given(
    "Subscription",
    link.subscription_id && (
      <RecordLink to={`/subscriptions/${link.subscription_id}`} text={link.subscription_id} />
    ),
  ),
  overdue: null,
  due_at: given("Due", link.due_at && <Time value={link.due_at} />),
  // The subscription of a period's link sends mails of its own.
  reminders: link.subscription_id
    ? null
    : {
        label: "Reminders",
        value: link.reminders
          ? scheduleWords(link.reminders)
          : defaultWords(link.default_reminders),
      },
  default_reminders: null,
  expires_at: { label: "Expires", value: <Time value={link.expires_at} none="Never" /> },
  paid_at: { label: "Paid", value: <Time value={link.paid_at} none="Not yet" /> },
  created_at: { label: "Created", value: <Time value={link.created_at} /> },
  updated_at: { label: "Changed", value: <Time value={link.updated_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{link._id}</span> },
});
