"use client";

import { Undo2 } from "lucide-react";
import { later } from "@/lib/client/later";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { MailsCard } from "@/components/mails/mails-card";
import { DetailSkeleton } from "@/components/record/detail-skeleton";
import { JsonCard } from "@/components/record/json-card";
import { TimelineCard } from "@/components/record/timeline";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useNow } from "@/lib/client/use-now";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import { resolvePayment, createRefund, getPayment } from "@/lib/contract/operations";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { displayAmount } from "@/lib/kernel/money";
import { ChargeAgain } from "./charge-again";
import { Flag } from "./flag";
import { PaymentFacts } from "./facts";
import { Outcome } from "./outcome";
import { ReceiptLink } from "./receipt-link";
import { RefundsCard, useRefunds } from "./refunds-card";
import { useChargedSince } from "./use-charged-since";
import { usePaymentTimeline } from "./use-payment-timeline";
import { resolvable } from "./words";

const ResolveDialog = later(() =>
  import("./resolve-dialog").then((module) => module.ResolveDialog),
);
const RefundDialog = later(() => import("./refund-dialog").then((module) => module.RefundDialog));

/** One payment: its status, the reason, and the records it belongs to. */
export function PaymentDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const now = useNow(30_000);
  const answer = useEndpoint(getPayment, { params: { payment_id: id } });
  const payment = answer.data;
  useTitle(
    payment && `Payment of ${displayAmount(payment.amount, payment.currency)}`,
    payment?.email ?? payment?.title,
  );
  const { since, isRepeated } = useChargedSince(payment);
  const { answer: refundsAnswer, refunds, left, isKnown } = useRefunds(payment);
  // A dialog that was opened says why nothing is left, and what became of a refund with a lost answer.
  const wasRefundable = useRef(false);
  if (left > 0) wasRefundable.current = true;
  // In the address, so that the page of a payment link leads to it.
  const [refunding, setRefunding] = useQueryState(
    "refund",
    parseAsBoolean.withOptions({ history: "replace" }),
  );
  const isOver = isKnown && left <= 0 && !wasRefundable.current;
  useEffect(() => {
    // Else the dialog would open later, once a refund under way has failed.
    if (refunding && isOver) void setRefunding(null);
  }, [refunding, isOver, setRefunding]);
  const [resolving, setResolving] = useState<ReturnType<typeof resolvable>>();
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
  const toResolve = may(resolvePayment) ? resolvable(payment, now) : undefined;
  const wayOut = (flag: string) => {
    if (flag === "amount_mismatch")
      return toResolve ? { label: "Resolve it…", run: () => setResolving(toResolve) } : undefined;
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
              <Button onClick={() => setResolving(toResolve)}>Resolve it…</Button>
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
          refunds={refunds}
          open={refunding === true && may(createRefund)}
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
        <PaymentFacts payment={payment} />
      </div>
      {resolving ? (
        <ResolveDialog
          payment={payment}
          reason={resolving}
          isOver={toResolve === undefined && payment.status !== "unknown"}
          onClose={() => setResolving(undefined)}
        />
      ) : null}
    </>
  );
}

/** What happened to a payment, and the mails about the link, subscription or saved method that was paid. */
function Story({ payment }: { payment: PaymentWithPayer }) {
  const timeline = usePaymentTimeline(payment);
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
