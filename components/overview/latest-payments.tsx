"use client";

import Link from "next/link";
import { CustomerLink } from "@/components/record/customer-link";
import { RecordsCard } from "@/components/record/records-card";
import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { listPayments } from "@/lib/contract/operations";
import { latestCollected } from "./latest-query";

/** Who paid last, and for what. */
export function LatestPayments() {
  const { path } = useScope();
  const answer = useEndpoint(listPayments, { query: latestCollected });
  return (
    <RecordsCard
      title="Latest payments"
      answer={answer}
      none="No payment yet."
      all={path("/payments?collected=true")}
    >
      {(payment) => (
        <>
          <span className="min-w-0 flex-1">
            <Link
              prefetch={false}
              href={path(`/payments/${payment._id}`)}
              className="inline-flex min-h-6 max-w-full items-center font-medium underline-offset-3 hover:underline"
            >
              <span dir="auto" lang="" className="truncate">
                {payment.title}
              </span>
            </Link>
            <span className="block text-fine text-muted">
              <CustomerLink email={payment.email} />
            </span>
          </span>
          <span className="text-end">
            <Money amount={payment.amount} currency={payment.currency} className="font-medium" />
            <Time
              value={payment.succeeded_at ?? payment.created_at}
              className="block text-fine text-muted"
            />
          </span>
        </>
      )}
    </RecordsCard>
  );
}
