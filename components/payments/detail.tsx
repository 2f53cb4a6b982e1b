"use client";

import { FileText } from "lucide-react";
import { DetailSkeleton } from "@/components/record/detail-skeleton";
import { JsonCard } from "@/components/record/json-card";
import { RecordLink } from "@/components/record/record-link";
import { StatusBadge } from "@/components/ui/badge";
import { AnchorButton } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { fileAddress } from "@/lib/client/files";
import { useEndpoint } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { getReceipt } from "@/lib/contract/files";
import { getPaymentLink } from "@/lib/contract/payment-links";
import { getPayment, type Payment } from "@/lib/contract/payments";
import { displayAmount } from "@/lib/kernel/money";
import { collected, flagWords, meaningOf } from "./words";

/** One attempt at money: how it stands, why, and what it belongs to. */
export function PaymentDetail({ id }: { id: string }) {
  const scope = useScope();
  const answer = useEndpoint(getPayment, { params: { payment_id: id } });
  const payment = answer.data;
  const back = { href: scope.path("/payments"), label: "Payments" };
  if (!payment) {
    return (
      <>
        <PageHeader title="Payment" back={back} />
        {answer.error ? <ErrorState error={answer.error} retry={() => void answer.refetch()} /> : <DetailSkeleton />}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={displayAmount(payment.amount, payment.currency)}
        badge={<StatusBadge status={payment.status} />}
        back={back}
        actions={
          collected(payment) ? (
            <AnchorButton href={fileAddress(getReceipt, { params: { payment_id: id } }, scope)} download={`receipt-${id}.pdf`}>
              <FileText aria-hidden="true" className="size-4" />
              Receipt (PDF)
            </AnchorButton>
          ) : null
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-5">
          <Outcome payment={payment} />
          {payment.flags.map((flag) => <Flag key={flag} flag={flag} />)}
          <JsonCard record={payment} />
        </div>
        <Card title="Facts">
          <Facts items={factsOf(payment)} className="sm:grid-cols-[8rem_1fr]!" />
        </Card>
      </div>
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

function Flag({ flag }: { flag: string }) {
  const { title, text } = flagWords(flag);
  return (
    <section aria-label={title} className="rounded-card bg-warn-soft px-5 py-4 text-warn">
      <h2 className="font-semibold">{title}</h2>
      <p className="mt-0.5">{text}</p>
    </section>
  );
}

function LinkOf({ id }: { id: string }) {
  const { data } = useEndpoint(getPaymentLink, { params: { payment_link_id: id } });
  return <RecordLink to={`/payment-links/${id}`} text={data?.title ?? id} />;
}

function belongsTo({ payment_link_id: link, subscription_id: subscription, tokenization_id: token }: Payment) {
  return [
    ...(link ? [{ label: "Payment link", value: <LinkOf id={link} /> }] : []),
    ...(subscription ? [{ label: "Subscription", value: <RecordLink to={`/subscriptions/${subscription}`} text={subscription} /> }] : []),
    ...(token ? [{ label: "Token", value: <RecordLink to={`/tokens/${token}`} text={token} /> }] : []),
  ];
}

const factsOf = (payment: Payment) => [
  ...belongsTo(payment),
  { label: "Amount", value: <Money amount={payment.amount} currency={payment.currency} /> },
  ...(payment.refunded_amount > 0 ? [{ label: "Given back", value: <Money amount={payment.refunded_amount} currency={payment.currency} /> }] : []),
  { label: "Reference", value: payment.reference },
  { label: "Provider", value: <span className="capitalize">{payment.gateway}</span> },
  { label: "Begun", value: <Time value={payment.created_at} /> },
  { label: "Changed", value: <Time value={payment.updated_at} /> },
  { label: "Id", value: <span className="font-mono text-fine">{payment._id}</span> },
];
