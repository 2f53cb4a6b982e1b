"use client";

import { RotateCw } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { useResend } from "@/components/mails/use-resend";
import { RecordLink } from "@/components/record/record-link";
import { ShowAll } from "@/components/record/show-all";
import { Unloaded } from "@/components/record/unloaded";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useRedeliver } from "@/components/webhooks/use-redeliver";
import { lastText } from "@/components/webhooks/words";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import {
  getWork,
  listMails,
  listWebhookDeliveries,
  redeliverWebhook,
  resendMail,
} from "@/lib/contract/operations";
import type { WorkKind, WorkState } from "@/lib/contract/work";

const POLL_MS = 3_000;

const kinds: Record<WorkKind, string> = {
  charges: "Charges of subscriptions",
  payments: "Payments to check",
  refunds: "Refunds to check",
  activations: "Activations to check",
  webhooks: "Webhooks",
  mails: "Mails",
  expiries: "Links that expire",
  batches: "Changes of many links",
};

/** What the workers have before them in this business and mode, and what they gave up on. */
export function BackgroundWork() {
  const { path } = useScope();
  const answer = useEndpoint(getWork, {}, { every: POLL_MS });
  const state = answer.data;
  if (!state)
    return (
      <Unloaded
        title="Background work"
        back={{ href: path("/developers/events"), label: "Developers" }}
        answer={answer}
      />
    );
  return (
    <>
      <PageHeader
        title="Background work"
        description="Work that runs in the background: charges, webhooks, mails, and checks with the payment provider."
        badge={<WorkersBadge state={state} />}
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Planned state={state} />
        <div className="grid min-w-0 gap-5">
          <FailedWebhooks count={state.exhausted.webhook_deliveries} />
          <FailedMails count={state.exhausted.mails} />
        </div>
      </div>
    </>
  );
}

function WorkersBadge({ state: { workers } }: { state: WorkState }) {
  const count = workers.filter(({ at_work }) => at_work).length;
  if (count === 0) return <Badge tone="bad">No worker is running</Badge>;
  return <Badge tone="good">{count === 1 ? "1 worker at work" : `${count} workers at work`}</Badge>;
}

function Planned({ state: { work, workers } }: { state: WorkState }) {
  const [newest] = workers;
  return (
    <Card
      title="What is waiting"
      description={
        newest ? (
          <>
            A worker was last seen <Time value={newest.seen_at} show="relative" />.
          </>
        ) : (
          "No worker has been seen within the last hour."
        )
      }
      flush
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label="Work by kind" className="overflow-x-auto">
        <table className="w-full border-collapse">
          <caption className="sr-only">Work by kind</caption>
          <thead>
            <tr className="border-b border-line text-fine text-muted">
              <th scope="col" className="px-5 py-2 text-start font-medium">
                Kind
              </th>
              <th scope="col" className="px-3 py-2 text-end font-medium whitespace-nowrap">
                Due
              </th>
              <th scope="col" className="px-3 py-2 text-end font-medium whitespace-nowrap">
                Planned
              </th>
              <th scope="col" className="px-5 py-2 text-end font-medium whitespace-nowrap">
                Next
              </th>
            </tr>
          </thead>
          <tbody>
            {work.map(({ kind, due, planned, oldest_due_at, next_at }) => (
              <tr key={kind} className="border-b border-line last:border-0">
                <th scope="row" className="px-5 py-2 text-start font-medium">
                  {kinds[kind]}
                </th>
                <td className="px-3 py-2 text-end">{due}</td>
                <td className="px-3 py-2 text-end">{planned}</td>
                <td className="px-5 py-2 text-end whitespace-nowrap text-muted">
                  <Time value={oldest_due_at ?? next_at} show="relative" none="–" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

function FailedWebhooks({ count }: { count: number }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(
    listWebhookDeliveries,
    { query: { status: "failed", per_page: 50 } },
    { every: POLL_MS },
  );
  const redeliver = useRedeliver();
  const rows = (answer.data?.data ?? []).filter(({ test }) => !test);
  return (
    <GivenUp
      title="Failed webhooks"
      answer={answer}
      count={count}
      shown={rows.length}
      none="No webhook has failed for good."
      all={
        <p className="mt-4">
          Open an endpoint under <RecordLink to="/developers/webhooks" text="Webhooks" /> to see all
          of its deliveries.
        </p>
      }
    >
      {rows.map((delivery) => (
        <Row
          key={delivery._id}
          href={path(`/developers/webhooks/${delivery.webhook_endpoint_id}/${delivery._id}`)}
          title={delivery.type}
          text={lastText(delivery)}
          at={delivery.updated_at}
          again={
            may(redeliverWebhook) && delivery.redeliverable
              ? () => redeliver.run({ params: { webhook_delivery_id: delivery._id } })
              : undefined
          }
        />
      ))}
    </GivenUp>
  );
}

function FailedMails({ count }: { count: number }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(
    listMails,
    { query: { status: "failed", per_page: 50 } },
    { every: POLL_MS },
  );
  const resend = useResend();
  const rows = answer.data?.data ?? [];
  return (
    <GivenUp
      title="Failed e-mails"
      answer={answer}
      count={count}
      shown={rows.length}
      none="No mail has failed for good."
      all={<ShowAll href={path("/mails?status=failed")} total={count} />}
    >
      {rows.map((mail) => (
        <Row
          key={mail._id}
          href={path(`/mails/${mail._id}`)}
          title={mail.subject}
          text={`To ${mail.recipient}`}
          at={mail.created_at}
          again={
            may(resendMail) && mail.resendable
              ? () => resend.run({ params: { mail_id: mail._id } })
              : undefined
          }
        />
      ))}
    </GivenUp>
  );
}

const shownOf = (shown: number, count: number) =>
  shown > 0 ? `The newest ${shown} of ${count}.` : `${count} failed for good.`;

type GivenUpProps = {
  title: string;
  /** The newest that failed. */
  answer: { data?: unknown; error: unknown; isPending: boolean; refetch: () => unknown };
  /** How many failed in all. */
  count: number;
  shown: number;
  none: string;
  /** Leads to those that are not shown. */
  all: ReactNode;
  children: ReactNode;
};

function GivenUp({ title, answer, count, shown, none, all, children }: GivenUpProps) {
  const more = answer.data !== undefined && count > shown;
  return (
    <Card title={title} description={more ? shownOf(shown, count) : undefined}>
      {answer.isPending ? (
        <Loading label={`Loading ${title.toLowerCase()}`}>
          <Skeleton className="w-2/3" />
        </Loading>
      ) : answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : shown > 0 ? (
        <ul aria-label={title} className="-my-2.5 divide-y divide-line">
          {children}
        </ul>
      ) : count === 0 ? (
        <p className="text-muted">{none}</p>
      ) : null}
      {more ? all : null}
    </Card>
  );
}

function Row({
  href,
  title,
  text,
  at,
  again,
}: {
  href: string;
  title: string;
  text: string;
  at: string;
  again: (() => void) | undefined;
}) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
      <div className="min-w-0">
        <Link
          href={href}
          className="inline-flex min-h-6 max-w-full items-center font-medium underline-offset-3 hover:underline"
        >
          <span dir="auto" lang="" className="truncate">
            {title}
          </span>
        </Link>
        <p className="text-fine text-muted">
          {text} · <Time value={at} show="relative" />
        </p>
      </div>
      {again ? (
        <Button onClick={again} aria-label={`Resend ${title}`}>
          <RotateCw aria-hidden="true" className="size-4" />
          Resend
        </Button>
      ) : null}
    </li>
  );
}
