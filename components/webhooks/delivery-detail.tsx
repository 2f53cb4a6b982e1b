"use client";

import { RotateCw } from "lucide-react";
import { RecordLink } from "@/components/record/record-link";
import { Unloaded } from "@/components/record/unloaded";
import { Badge, StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import { getWebhookDelivery, redeliverWebhook } from "@/lib/contract/operations";
import type { WebhookDeliveryDetail } from "@/lib/contract/webhooks";
import { useRedeliver } from "./use-redeliver";
import { attemptsText } from "./words";

const POLL_MS = 2_000;

/** One delivery: every attempt with what the endpoint said, and the body that is sent. */
export function DeliveryDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(
    getWebhookDelivery,
    { params: { webhook_delivery_id: id } },
    { every: POLL_MS },
  );
  const redeliver = useRedeliver();
  const delivery = answer.data;
  const isOffered = may(redeliverWebhook) && delivery?.redeliverable === true;
  useTitle(delivery?.type, delivery?.url);
  if (!delivery)
    return (
      <Unloaded
        title="Delivery"
        back={{ href: path("/developers/webhooks"), label: "Webhooks" }}
        answer={answer}
      />
    );
  return (
    <>
      <PageHeader
        title={delivery.type}
        badge={<StatusBadge status={delivery.status} />}
        back={{
          href: path(`/developers/webhooks/${delivery.webhook_endpoint_id}`),
          label: "Endpoint",
        }}
        description={meaningOf(delivery, isOffered)}
        actions={
          isOffered ? (
            <Button
              busy={redeliver.busy}
              onClick={() => redeliver.run({ params: { webhook_delivery_id: id } })}
            >
              <RotateCw aria-hidden="true" className="size-4" />
              Resend
            </Button>
          ) : null
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-5">
          <Attempts delivery={delivery} />
          <Body text={delivery.body} />
        </div>
        <Card title="Delivery">
          <Facts items={factsOf(delivery)} className="sm:grid-cols-[6rem_1fr]!" />
        </Card>
      </div>
    </>
  );
}

function Body({ text }: { text: string | null }) {
  if (text === null)
    return (
      <Card title="Body">
        <p className="text-muted">What was sent is not kept any more.</p>
      </Card>
    );
  return (
    <Card title="Body" description="The same bytes at every attempt; here with line breaks.">
      <CodeBlock
        code={JSON.stringify(JSON.parse(text), null, 2)}
        label="Body of the webhook"
        copyLabel="Copy body"
      />
    </Card>
  );
}

function meaningOf(
  { status, next_attempt_at, last_error, delivered_at, test }: WebhookDeliveryDetail,
  isOffered: boolean,
) {
  switch (status) {
    case "pending":
      // One that is sent again after a success has no error.
      return last_error === null ? (
        "It will be sent shortly."
      ) : (
        <>
          The endpoint did not accept it. The next attempt is due <Time value={next_attempt_at} />.
        </>
      );
    case "failed":
      return test
        ? "A test event is tried once."
        : `It was tried for the last time.${isOffered ? " Resend starts a new series of attempts." : ""}`;
    case "stopped":
      return delivered_at === null
        ? "The endpoint was disabled or deleted before it accepted the event."
        : "The endpoint had accepted it before. It was disabled or deleted before the event was sent again.";
    default:
      return null;
  }
}

function Attempts({ delivery: { history, attempts } }: { delivery: WebhookDeliveryDetail }) {
  return (
    <Card
      title="Attempts"
      description={attempts > 1 ? `${attemptsText(attempts)}, the newest first.` : undefined}
    >
      {history.length === 0 ? (
        <p className="text-muted">None yet.</p>
      ) : (
        <ol aria-label="Attempts" className="-my-3 divide-y divide-line">
          {history.map((attempt) => (
            <li key={attempt.number} className="grid gap-2 py-3">
              <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
                <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <span className="font-medium">{`Attempt ${attempt.number}`}</span>
                  <Badge tone={attempt.error === null ? "good" : "bad"}>
                    {attempt.status_code === null ? "No answer" : String(attempt.status_code)}
                  </Badge>
                  <span className="text-fine text-muted">{`${attempt.duration_ms} ms`}</span>
                </p>
                <Time value={attempt.created_at} className="text-fine text-muted" />
              </div>
              {attempt.error ? <p>{attempt.error}</p> : null}
              {attempt.response ? (
                <CodeBlock
                  code={attempt.response}
                  label={`Answer to attempt ${attempt.number}`}
                  copyLabel="Copy answer"
                />
              ) : null}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function factsOf(delivery: WebhookDeliveryDetail) {
  return [
    {
      label: "To",
      value: <span className="font-mono text-fine [overflow-wrap:anywhere]">{delivery.url}</span>,
    },
    {
      label: "Event",
      value: delivery.test ? (
        "A test event, not in the event log"
      ) : delivery.body === null ? (
        "Not kept any more"
      ) : (
        <RecordLink to={`/developers/events/${delivery.event_id}`} text={delivery.event_id} />
      ),
    },
    {
      label: "webhook-id",
      value: <span className="font-mono text-fine">{delivery.event_id}</span>,
    },
    { label: "Delivered", value: <Time value={delivery.delivered_at} none="Not yet" /> },
    ...(delivery.next_attempt_at
      ? [{ label: "Next", value: <Time value={delivery.next_attempt_at} /> }]
      : []),
    { label: "Created", value: <Time value={delivery.created_at} /> },
    { label: "Id", value: <span className="font-mono text-fine">{delivery._id}</span> },
  ];
}
