"use client";

import { FileText, Undo2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { DetailSkeleton } from "@/components/record/detail-skeleton";
import { type FactsOf, given, shownFacts } from "@/components/record/facts";
import { JsonCard } from "@/components/record/json-card";
import { RecordLink } from "@/components/record/record-link";
import { StatusBadge } from "@/components/ui/badge";
import { AnchorButton, Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { fileAddress } from "@/lib/client/files";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import {
  resolvePayment,
  createRefund,
  getPayment,
  getPaymentLink,
  getReceipt,
} from "@/lib/contract/operations";
import type { Payment } from "@/lib/contract/payments";
import { displayAmount } from "@/lib/kernel/money";
import { RefundsCard, useRefunds } from "./refunds-card";
import { resolvable, collected, flagWords, meaningOf, providerOf } from "./words";

const ResolveDialog = dynamic(
  () => import("./resolve-dialog").then((module) => module.ResolveDialog),
  {
    ssr: false,
  },
);
const RefundDialog = dynamic(
  () => import("./refund-dialog").then((module) => module.RefundDialog),
  { ssr: false },
);

/** One payment: its status, the reason, and the records it belongs to. */
export function PaymentDetail({ id }: { id: string }) {
  const scope = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(getPayment, { params: { payment_id: id } });
  const payment = answer.data;
  useTitle(
    payment && `Payment of ${displayAmount(payment.amount, payment.currency)}`,
    payment?.reference,
  );
  const { answer: refundsAnswer, refunds, left } = useRefunds(payment);
  const [refunding, setRefunding] = useState(false);
  const [resolving, setResolving] = useState(false);
  const title = useLinkTitle(payment);
  const back = { href: scope.path("/payments"), label: "Payments" };
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
  const mayResolve = resolvable(payment) && may(resolvePayment);
  const wayOut = (flag: string) => {
    if (flag === "amount_mismatch")
      return mayResolve ? { label: "Resolve it…", run: () => setResolving(true) } : undefined;
    return mayRefund && flag !== "resolved"
      ? { label: "Refund it", run: () => setRefunding(true) }
      : undefined;
  };
  return (
    <>
      <PageHeader
        title={displayAmount(payment.amount, payment.currency)}
        badge={<StatusBadge status={payment.status} />}
        back={back}
        actions={
          <>
            {collected(payment) ? (
              <AnchorButton
                href={fileAddress(getReceipt, { params: { payment_id: id } }, scope)}
                download={`receipt-${id}.pdf`}
              >
                <FileText aria-hidden="true" className="size-4" />
                Receipt (PDF)
              </AnchorButton>
            ) : null}
            {mayRefund ? (
              <Button onClick={() => setRefunding(true)}>
                <Undo2 aria-hidden="true" className="size-4" />
                Refund
              </Button>
            ) : null}
          </>
        }
      />
      {left > 0 ? (
        <RefundDialog
          payment={payment}
          left={left}
          name={title ?? payment.reference ?? payment._id}
          open={refunding}
          onClose={() => setRefunding(false)}
        />
      ) : null}
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-5">
          <Outcome payment={payment} />
          {payment.flags.map((flag) => (
            <Flag key={flag} flag={flag} wayOut={wayOut(flag)} />
          ))}
          <RefundsCard answer={refundsAnswer} refunds={refunds} />
          <JsonCard record={payment} />
        </div>
        <Card title="Details">
          <Facts items={shownFacts(factsOf(payment))} className="sm:grid-cols-[8rem_1fr]!" />
        </Card>
      </div>
      {mayResolve ? (
        <ResolveDialog payment={payment} open={resolving} onClose={() => setResolving(false)} />
      ) : null}
    </>
  );
}

function Outcome({ payment }: { payment: Payment }) {
  return (
    <Card title={payment.status === "failed" ? "Why it failed" : "What happened"}>
      {payment.message ? <p className="text-note font-medium">{payment.message}</p> : null}
      <p className={payment.message ? "mt-1 text-muted" : "text-note"}>{meaningOf(payment)}</p>
    </Card>
  );
}

function Flag({
  flag,
  wayOut,
}: {
  flag: string;
  wayOut: { label: string; run: () => void } | undefined;
}) {
  const { title, text } = flagWords(flag);
  return (
    <section
      aria-label={title}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 rounded-card bg-warn-soft px-5 py-4 text-warn"
    >
      <div className="min-w-0">
        <h2 className="font-semibold">{title}</h2>
        <p className="mt-0.5">{text}</p>
      </div>
      {wayOut ? <Button onClick={wayOut.run}>{wayOut.label}</Button> : null}
    </section>
  );
}

/** What the payment's link is called; undefined without one, or when it is deleted. */
function useLinkTitle(payment: Payment | undefined): string | undefined {
  const id = payment?.payment_link_id;
  return useEndpoint(
    getPaymentLink,
    { params: { payment_link_id: id ?? "" } },
    { enabled: typeof id === "string" },
  ).data?.title;
}

function LinkOf({ id }: { id: string }) {
  const { data } = useEndpoint(getPaymentLink, { params: { payment_link_id: id } });
  return <RecordLink to={`/payment-links/${id}`} text={data?.title ?? id} />;
}

const factsOf = (payment: Payment): FactsOf<Payment> => ({
  status: null,
  amount_decimal: null,
  currency: null,
  message: null,
  flags: null,
  method: null,
  business_id: null,
  payment_link_id: given(
    "Payment link",
    payment.payment_link_id && <LinkOf id={payment.payment_link_id} />,
  ),
  subscription_id: given(
    "Subscription",
    payment.subscription_id && (
      <RecordLink to={`/subscriptions/${payment.subscription_id}`} text={payment.subscription_id} />
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
  refunded_amount: given("Refunded", moved(payment.refunded_amount, payment)),
  disputed_amount: given("Taken by the bank", moved(payment.disputed_amount, payment)),
  reference: { label: "Reference", value: payment.reference },
  gateway: { label: "Provider", value: providerOf(payment) },
  note: given(
    "Note",
    payment.note && (
      <span dir="auto" className="break-words whitespace-pre-line">
        {payment.note}
      </span>
    ),
  ),
  received_at: given("Received", payment.received_at && <Time value={payment.received_at} />),
  created_at: { label: "Started", value: <Time value={payment.created_at} /> },
  updated_at: { label: "Changed", value: <Time value={payment.updated_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{payment._id}</span> },
});

const moved = (amount: number, { currency }: Payment) =>
  amount > 0 ? <Money amount={amount} currency={currency} /> : null;
