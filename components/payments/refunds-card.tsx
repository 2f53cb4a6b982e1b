"use client";

import { useState } from "react";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { later } from "@/lib/client/later";
import { useMembership } from "@/lib/client/use-me";
import { useNow } from "@/lib/client/use-now";
import type { Page } from "@/lib/contract/envelope";
import { listRefunds, resolveRefund } from "@/lib/contract/operations";
import type { Payment, PaymentWithPayer } from "@/lib/contract/payments";
import type { Refund } from "@/lib/contract/refunds";
import { hasStayedUnknown, refundable, refundMeaning, resolvableLater } from "./words";

const ResolveRefundDialog = later(() =>
  import("./resolve-refund-dialog").then((module) => module.ResolveRefundDialog),
);

/** The refunds of a payment, and what of it can still go back; one that is under way is asked for again while it is. */
export function useRefunds(payment: Payment | undefined) {
  const query = { params: { payment_id: payment?._id ?? "" }, query: { per_page: 100 } };
  const some =
    payment !== undefined && payment.status !== "failed" && payment.status !== "cancelled";
  const first = useEndpoint(listRefunds, query, { enabled: some });
  const waiting = (first.data?.data ?? []).some(({ status }) => underWay(status));
  const answer = useEndpoint(listRefunds, query, {
    enabled: some,
    every: waiting ? 2_000 : undefined,
  });
  const refunds = answer.data?.data ?? [];
  return {
    answer,
    refunds,
    isKnown: payment !== undefined && (!some || answer.data !== undefined),
    left:
      payment && answer.data && refundable(payment)
        ? payment.amount - heldOf(payment, answer.data)
        : 0,
  };
}

const underWay = (status: Refund["status"]) =>
  status === "submitting" || status === "pending" || status === "unknown";

/** What went back or may yet. Of more refunds than one page, the payment has the sum of those that succeeded. */
function heldOf(payment: Payment, { data, next_page_url: more }: Page<Refund>): number {
  const counted = data.filter(({ status }) => (more ? underWay(status) : status !== "failed"));
  return counted.reduce((sum, { amount }) => sum + amount, more ? payment.refunded_amount : 0);
}

type RefundsCardProps = Pick<ReturnType<typeof useRefunds>, "answer" | "refunds"> & {
  payment: PaymentWithPayer;
};

/** Every refund of a payment with its status, and a way out of one that stays unknown; null without refunds. */
export function RefundsCard({ payment, answer, refunds }: RefundsCardProps) {
  const { may } = useMembership();
  const now = useNow(30_000);
  const [chosen, setChosen] = useState<string | null>(null);
  const resolving = refunds.find(({ _id }) => _id === chosen);
  if (answer.error && !answer.data)
    return (
      <Card title="Refunds">
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      </Card>
    );
  if (refunds.length === 0) return null;
  return (
    <Card
      title="Refunds"
      description={answer.data?.next_page_url ? `The newest ${refunds.length} refunds.` : undefined}
    >
      <ul aria-label="Refunds" className="-my-2.5 divide-y divide-line">
        {refunds.map((refund) => (
          <li
            key={refund._id}
            className="py-2.5 sm:flex sm:items-baseline sm:justify-between sm:gap-4"
          >
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Money amount={refund.amount} currency={refund.currency} className="font-medium" />
                <StatusBadge status={refund.status} />
              </p>
              {refund.reason ? (
                <p dir="auto" lang="" className="mt-0.5 break-words">
                  {refund.reason}
                </p>
              ) : null}
              {refund.status === "succeeded" ? null : (
                <p className="mt-0.5 text-fine text-muted">
                  {refund.message ?? refundMeaning(refund)}
                </p>
              )}
              {resolvableLater(refund, now) ? (
                <p className="mt-0.5 text-fine text-muted">
                  Can be resolved from <Time value={refund.resolvable_at} />
                </p>
              ) : null}
              {may(resolveRefund) && hasStayedUnknown(refund, now) ? (
                <Button size="small" className="mt-1.5" onClick={() => setChosen(refund._id)}>
                  Resolve it…
                </Button>
              ) : null}
            </div>
            <Time value={refund.created_at} className="text-fine whitespace-nowrap text-muted" />
          </li>
        ))}
      </ul>
      {resolving ? (
        <ResolveRefundDialog payment={payment} refund={resolving} onClose={() => setChosen(null)} />
      ) : null}
    </Card>
  );
}
