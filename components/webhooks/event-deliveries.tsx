"use client";

import { RotateCw } from "lucide-react";
import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { listWebhookDeliveries, redeliverEvent } from "@/lib/contract/operations";
import { attemptsText, lastText } from "./words";

const POLL_MS = 3_000;

/** Where an event went, and what became of it there. */
export function EventDeliveries({ eventId }: { eventId: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(
    listWebhookDeliveries,
    { query: { event_id: eventId, per_page: 50 } },
    { every: POLL_MS },
  );
  const again = useAction(redeliverEvent, {
    invalidates: [listWebhookDeliveries],
    onSuccess: ({ deliveries }) =>
      notify(
        deliveries.length > 0
          ? { title: "On its way again", tone: "good" }
          : { title: "No enabled endpoint receives this type" },
      ),
  });
  const rows = answer.data?.data ?? [];
  return (
    <Card
      title="Webhooks"
      actions={
        may(redeliverEvent) ? (
          <Button
            busy={again.busy}
            onClick={() => again.run({ params: { event_id: eventId }, body: {} })}
          >
            <RotateCw aria-hidden="true" className="size-4" />
            Resend to all
          </Button>
        ) : null
      }
    >
      {answer.isPending ? (
        <Loading label="Loading deliveries">
          <Skeleton className="w-2/3" />
        </Loading>
      ) : answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : rows.length === 0 ? (
        <p className="text-muted">No endpoint received this event.</p>
      ) : (
        <ul aria-label="Deliveries" className="-my-2.5 divide-y divide-line">
          {rows.map((delivery) => (
            <li key={delivery._id} className="grid gap-0.5 py-2.5">
              <p className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
                <Link
                  href={path(
                    `/developers/webhooks/${delivery.webhook_endpoint_id}/${delivery._id}`,
                  )}
                  className="inline-flex min-h-6 items-center font-medium underline-offset-3 hover:underline"
                >
                  {lastText(delivery)}
                </Link>
                <StatusBadge status={delivery.status} />
              </p>
              <p className="flex flex-wrap justify-between gap-x-3 text-fine text-muted">
                <span>{attemptsText(delivery.attempts)}</span>
                <Time value={delivery.updated_at} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
