"use client";

import Link from "next/link";
import { ShowAll } from "@/components/record/show-all";
import { StatusBadge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Day } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { listSubscriptions } from "@/lib/contract/operations";

const MAX_SHOWN = 10;

/** Who is subscribed to a package, the newest few. */
export function SubscribersCard({ packageId }: { packageId: string }) {
  const { path } = useScope();
  const answer = useEndpoint(listSubscriptions, {
    query: { package_id: packageId, page: 1, per_page: MAX_SHOWN },
  });
  const rows = answer.data?.data ?? [];
  const total = answer.data && "total" in answer.data ? answer.data.total : rows.length;
  return (
    <Card
      title="Subscriptions"
      description={
        total > 0 ? `${total.toLocaleString("en-GB")} in all, the newest first.` : undefined
      }
    >
      {answer.isPending ? (
        <Loading label="Loading subscriptions">
          <Skeleton className="w-2/3" />
        </Loading>
      ) : answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : rows.length === 0 ? (
        <p className="text-muted">No subscribers yet.</p>
      ) : (
        <ul aria-label="Subscriptions" className="-my-2.5 divide-y divide-line">
          {rows.map((one) => (
            <li
              key={one._id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5"
            >
              <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
                <Link
                  href={path(`/subscriptions/${one._id}`)}
                  className="inline-block min-h-6 font-medium underline-offset-3 hover:underline"
                >
                  {one.email}
                </Link>
                <StatusBadge status={one.status} />
              </span>
              <span className="text-fine text-muted">
                Next charge: <Day value={one.next_charge_at} none="none" />
              </span>
            </li>
          ))}
        </ul>
      )}
      {total > MAX_SHOWN ? (
        <ShowAll href={path(`/subscriptions?package_id=${packageId}`)} total={total} />
      ) : null}
    </Card>
  );
}
