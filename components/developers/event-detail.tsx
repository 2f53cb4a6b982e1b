"use client";

import { Card, Facts } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { PageHeader } from "@/components/ui/page-header";
import { RecordLink } from "@/components/record/record-link";
import { Unloaded } from "@/components/record/unloaded";
import { Time } from "@/components/ui/time";
import { EventDeliveries } from "@/components/webhooks/event-deliveries";
import { useEndpoint } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import type { Event } from "@/lib/contract/events";
import { getEvent } from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";
import { aboutOf, pageOf } from "./event-words";

/** One event with the object as it was then. */
export function EventDetail({ id }: { id: string }) {
  const { path } = useScope();
  const answer = useEndpoint(getEvent, { params: { event_id: id } });
  const event = answer.data;
  useTitle(event?.type, event && aboutOf(event));
  const back = { href: path("/developers/events"), label: "Events" };
  if (!event) return <Unloaded title="Event" back={back} answer={answer} />;
  return (
    <>
      <PageHeader title={event.type} back={back} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_26rem]">
        <Card
          title="Data"
          description="The object as the API returned it at that time, without secrets."
        >
          <CodeBlock
            code={JSON.stringify(event.data, null, 2)}
            label="Data of this event"
            copyLabel="Copy data"
          />
        </Card>
        <div className="grid gap-5">
          <Card title="Details">
            <Facts items={factsOf(event)} className="sm:grid-cols-[5rem_1fr]!" />
          </Card>
          <EventDeliveries eventId={id} />
          <Card title="From a program">
            <CodeBlock
              code={snippet(getEvent, "curl", {
                baseUrl: window.location.origin,
                params: { event_id: id },
              })}
              label="Call for this event"
              copyLabel="Copy call"
            />
          </Card>
        </div>
      </div>
    </>
  );
}

function factsOf(event: Event) {
  const page = pageOf(event);
  return [
    {
      label: "About",
      value: page ? <RecordLink to={page} text={aboutOf(event)} /> : aboutOf(event),
    },
    { label: "When", value: <Time value={event.created_at} /> },
    { label: "Id", value: <span className="font-mono text-fine">{event._id}</span> },
  ];
}
