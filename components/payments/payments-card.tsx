"use client";

import Link from "next/link";
import { ShowAll } from "@/components/record/show-all";
import { StatusBadge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { listPayments } from "@/lib/contract/operations";
import { displayAmount } from "@/lib/kernel/money";
import { providerOf, reasonOf } from "./words";

type Of =
  | { payment_link_id: string }
  | { subscription_id: string }
  | { tokenization_id: string }
  | { email: string };

const MAX_SHOWN = 50;

/** What the card asks for; pages that need its answer ask for the same. */
export const paymentsOf = (of: Of) => ({ query: { ...of, per_page: MAX_SHOWN } });

/** The payments of one record or payer with their outcomes; shows `none` without payments. */
export function PaymentsCard({ of, none }: { of: Of; none: string }) {
  const { path } = useScope();
  const payments = useEndpoint(listPayments, paymentsOf(of));
  const rows = payments.data?.data ?? [];
  const more = payments.data?.next_page_url != null;
  return (
    <Card
      title="Payments"
      description={
        rows.length === 0
          ? undefined
          : more
            ? `The newest ${MAX_SHOWN} attempts.`
            : "Every attempt, the newest first."
      }
    >
      {payments.isPending ? (
        <Loading label="Loading payments">
          <Skeleton className="w-2/3" />
        </Loading>
      ) : payments.error && !payments.data ? (
        <ErrorState error={payments.error} retry={() => void payments.refetch()} />
      ) : rows.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <ul aria-label="Payments" className="-my-2.5 divide-y divide-line">
          {rows.map((payment) => (
            <li
              key={payment._id}
              className="py-2.5 sm:flex sm:items-baseline sm:justify-between sm:gap-4"
            >
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <Link
                    prefetch={false}
                    href={path(`/payments/${payment._id}`)}
                    className="inline-flex min-h-6 items-center font-medium underline underline-offset-3"
                  >
                    <Money amount={payment.amount} currency={payment.currency} />
                  </Link>
                  <StatusBadge status={payment.status} />
                </p>
                {payment.refunded_amount > 0 ? (
                  <p className="mt-0.5 text-fine text-muted">{`${displayAmount(payment.refunded_amount, payment.currency)} refunded`}</p>
                ) : null}
                {payment.method ? (
                  <p className="mt-0.5 text-fine text-muted">{providerOf(payment)}</p>
                ) : null}
                {payment.status === "failed" ? (
                  <p className="mt-0.5 text-fine text-muted">{reasonOf(payment)}</p>
                ) : null}
              </div>
              <Time value={payment.created_at} className="text-fine whitespace-nowrap text-muted" />
            </li>
          ))}
        </ul>
      )}
      {more ? <ShowAll href={path(`/payments?${new URLSearchParams(of)}`)} /> : null}
    </Card>
  );
}
