"use client";

import { Undo2 } from "lucide-react";
import { later } from "@/lib/client/later";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useRef, useState } from "react";
import { MailsCard } from "@/components/mails/mails-card";
import { DetailSkeleton } from "@/components/record/detail-skeleton";
import { CustomerLink } from "@/components/record/customer-link";
import { type FactsOf, given, shownFacts } from "@/components/record/facts";
import { JsonCard } from "@/components/record/json-card";
import { TimelineCard } from "@/components/record/timeline";
import { RecordLink } from "@/components/record/record-link";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import {
  resolvePayment,
  createRefund,
  getPayment,
  getPaymentTimeline,
} from "@/lib/contract/operations";
import { methodLabel } from "@/lib/contract/payment-methods";
import type { Payment, PaymentWithPayer } from "@/lib/contract/payments";
import { displayAmount } from "@/lib/kernel/money";
import { ChargeAgain } from "./charge-again";
import { Flag } from "./flag";
import { Outcome } from "./outcome";
import { ReceiptLink } from "./receipt-link";
import { RefundsCard, useRefunds } from "./refunds-card";
import { useChargedSince } from "./use-charged-since";
import { resolvable, collected, netLabel, providerOf, savedCardOf } from "./words";

const ResolveDialog = later(() =>
  import("./resolve-dialog").then((module) => module.ResolveDialog),
);
const RefundDialog = later(() => import("./refund-dialog").then((module) => module.RefundDialog));

/** One payment: its status, the reason, and the records it belongs to. */
export function PaymentDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(getPayment, { params: { payment_id: id } });
  const payment = answer.data;
  useTitle(
    payment && `Payment of ${displayAmount(payment.amount, payment.currency)}`,
    payment?.email ?? payment?.title,
  );
  const { since, isRepeated } = useChargedSince(payment);
  const { answer: refundsAnswer, refunds, left } = useRefunds(payment);
  // The dialog still says what became of a refund with a lost answer when nothing is left.
  const wasRefundable = useRef(false);
  if (left > 0) wasRefundable.current = true;
  // In the address, so that the page of a payment link leads to it.
  const [refunding, setRefunding] = useQueryState(
    "refund",
    parseAsBoolean.withOptions({ history: "replace" }),
  );
  const [resolving, setResolving] = useState(false);
  const back = { href: path("/payments"), label: "Payments" };
  if (!payment) {
    return (
      <>
        <PageHeader title="Payment" back={back} />
        {answer.error ? (
          <ErrorState error={answer.error} retry={() => void answer.refetch()} />
        ) : (
          <DetailSkeleton />
        )}
      </>
    );
  }
  const mayRefund = left > 0 && may(createRefund);
  const toResolve = may(resolvePayment) ? resolvable(payment, Date.now()) : undefined;
  const wayOut = (flag: string) => {
    if (flag === "amount_mismatch")
      return toResolve ? { label: "Resolve it…", run: () => setResolving(true) } : undefined;
    return mayRefund && flag !== "resolved"
      ? { label: "Refund it", run: () => void setRefunding(true) }
      : undefined;
  };
  return (
    <>
      <PageHeader
        title={displayAmount(payment.amount, payment.currency)}
        description={payment.email ? `${payment.title}, ${payment.email}` : payment.title}
        badge={<StatusBadge status={payment.status} />}
        back={back}
        actions={
          <>
            <ReceiptLink payment={payment} />
            {isRepeated ? null : <ChargeAgain payment={payment} />}
            {toResolve === "unknown" ? (
              <Button onClick={() => setResolving(true)}>Resolve it…</Button>
            ) : null}
            {mayRefund ? (
              <Button onClick={() => void setRefunding(true)}>
                <Undo2 aria-hidden="true" className="size-4" />
                Refund
              </Button>
            ) : null}
          </>
        }
      />
      {wasRefundable.current ? (
        <RefundDialog
          payment={payment}
          left={left}
          name={payment.title}
          open={refunding === true && mayRefund}
          onClose={() => void setRefunding(null)}
        />
      ) : null}
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-5">
          <Outcome payment={payment} since={since} />
          {payment.flags.map((flag) => (
            <Flag key={flag} flag={flag} payment={payment} wayOut={wayOut(flag)} />
          ))}
          <RefundsCard payment={payment} answer={refundsAnswer} refunds={refunds} />
          <Story payment={payment} />
          <JsonCard record={payment} />
        </div>
        <Card title="Details">
          <Facts items={shownFacts(factsOf(payment))} className="sm:grid-cols-[8rem_1fr]!" />
        </Card>
      </div>
      {toResolve ? (
        <ResolveDialog
          payment={payment}
          reason={toResolve}
          open={resolving}
          onClose={() => setResolving(false)}
        />
      ) : null}
    </>
  );
}

const useTimeline = ({ _id }: PaymentWithPayer) =>
  useEndpoint(getPaymentTimeline, { params: { payment_id: _id } });

/** What happened to a payment, and the mails about the link, subscription or saved method that was paid. */
function Story({ payment }: { payment: PaymentWithPayer }) {
  const timeline = useTimeline(payment);
  return (
    <>
      <TimelineCard answer={timeline} currency={payment.currency} />
      <StoryMails payment={payment} />
    </>
  );
}

function StoryMails({ payment }: { payment: PaymentWithPayer }) {
  const { payment_link_id: link, tokenization_id: token, subscription_id: subscription } = payment;
  if (link) return <MailsCard of={{ payment_link_id: link }} />;
  // The receipt of a period names the subscription, also where a saved method was charged.
  if (subscription)
    return (
      <MailsCard of={{ subscription_id: subscription }} title="Mails about this subscription" />
    );
  return token ? (
    <MailsCard of={{ tokenization_id: token }} title="Mails about this saved method" />
  ) : null;
}

type PaidRecordProps = {
  payment: PaymentWithPayer;
  kind: "payment_link" | "subscription";
  to: string;
  text: string;
};

/** Leads to what was paid. A deleted record has no page: its name says so. */
function PaidRecord({ payment, kind, to, text }: PaidRecordProps) {
  const isDeleted = useTimeline(payment).data?.some((entry) => entry.kind === `${kind}.deleted`);
  return isDeleted ? (
    <>
      <bdi lang="">{text}</bdi> (deleted)
    </>
  ) : (
    <RecordLink to={to} text={text} />
  );
}

const factsOf = (payment: PaymentWithPayer): FactsOf<PaymentWithPayer> => ({
  status: null,
  amount_decimal: null,
  currency: null,
  message: null,
  flags: null,
  method: null,
  business_id: null,
  fee_decimal: null,
  fee_currency: null,
  net_decimal: null,
  refunded_amount_decimal: null,
  disputed_amount_decimal: null,
  dispute_fee_decimal: null,
  dispute_fee_currency: null,
  card_last4: null,
  email: { label: "Payer", value: <CustomerLink email={payment.email} /> },
  title: {
    label: "Title",
    value: <bdi lang="">{payment.title}</bdi>,
  },
  payment_method_type: given(
    "Paid with",
    payment.payment_method_type && methodLabel(payment.payment_method_type),
  ),
  card_brand: given("Card", savedCardOf(payment)),
  payment_link_id: given(
    "Payment link",
    payment.payment_link_id && (
      <PaidRecord
        payment={payment}
        kind="payment_link"
        to={`/payment-links/${payment.payment_link_id}`}
        text={payment.title}
      />
    ),
  ),
  subscription_id: given(
    "Subscription",
    payment.subscription_id && (
      <PaidRecord
        payment={payment}
        kind="subscription"
        to={`/subscriptions/${payment.subscription_id}`}
        text={payment.subscription_id}
      />
    ),
  ),
  tokenization_id: given(
    "Token",
    payment.tokenization_id && (
      <RecordLink to={`/tokens/${payment.tokenization_id}`} text={payment.tokenization_id} />
    ),
  ),
  amount: {
    label: "Amount",
    value: <Money amount={payment.amount} currency={payment.currency} />,
  },
  fee: given(
    "Fee",
    payment.fee !== null && payment.fee_currency !== null ? (
      <Money amount={payment.fee} currency={payment.fee_currency} />
    ) : collected(payment) ? (
      "Not reported"
    ) : null,
  ),
  net: given(
    netLabel(payment),
    payment.net === null ? null : <Money amount={payment.net} currency={payment.currency} />,
  ),
  refunded_amount: given("Refunded", moved(payment.refunded_amount, payment)),
  dispute_status: given("Dispute", payment.dispute_status && disputes[payment.dispute_status]),
  disputed_amount: given("Taken by the bank", moved(payment.disputed_amount, payment)),
  dispute_fee: given(
    "Dispute fee",
    payment.dispute_fee_currency &&
      moved(payment.dispute_fee ?? 0, { currency: payment.dispute_fee_currency }),
  ),
  reference: { label: "Reference", value: payment.reference },
  gateway: { label: "Provider", value: providerOf(payment) },
  note: given(
    "Note",
    payment.note && (
      <span dir="auto" lang="" className="break-words whitespace-pre-line">
        {payment.note}
      </span>
    ),
  ),
  succeeded_at: given(
    "Paid",
    payment.received_at === null && payment.succeeded_at && <Time value={payment.succeeded_at} />,
  ),
  received_at: given("Received", payment.received_at && <Time value={payment.received_at} />),
  created_at: { label: "Started", value: <Time value={payment.created_at} /> },
  updated_at: { label: "Changed", value: <Time value={payment.updated_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{payment._id}</span> },
});

const disputes: Record<NonNullable<Payment["dispute_status"]>, string> = {
  open: "Open: the payer’s bank has not decided",
  lost: "Lost: the payer’s bank kept the money",
  won: "Won: the money came back",
};

const moved = (amount: number, { currency }: Pick<Payment, "currency">) =>
  amount > 0 ? <Money amount={amount} currency={currency} /> : null;
