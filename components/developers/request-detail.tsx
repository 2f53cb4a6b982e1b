"use client";

import { DetailSkeleton } from "@/components/record/detail-skeleton";
import { Card, Facts } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { CopyButton } from "@/components/ui/copy-button";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import { getLoggedRequest } from "@/lib/contract/operations";
import type { LoggedRequestDetail } from "@/lib/contract/request-log";
import { duration, RequestBadge } from "./request-badge";
import { readableBody, requestAsCurl } from "./request-curl";

/** One call with its headers and both bodies. */
export function RequestDetail({ id }: { id: string }) {
  const { path } = useScope();
  const answer = useEndpoint(getLoggedRequest, { params: { request_id: id } });
  const call = answer.data;
  useTitle(call && `${call.method} ${call.path}`, call && String(call.status));
  const back = { href: path("/developers/requests"), label: "Request log" };
  if (!call) {
    return (
      <>
        <PageHeader title="Call" back={back} />
        {answer.error ? (
          <ErrorState error={answer.error} retry={() => void answer.refetch()} />
        ) : (
          <DetailSkeleton />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={`${call.method} ${call.path}`}
        badge={<RequestBadge status={call.status} />}
        back={back}
        actions={
          call.restricted ? null : (
            <CopyButton text={requestAsCurl(call, window.location.origin)} label="Copy as curl" />
          )
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="grid min-w-0 gap-5">
          <Body
            title="Request"
            label="Request body"
            body={call.request_body}
            none={call.restricted ? hidden : "Nothing was sent but the headers."}
          />
          <Body
            title="Response"
            label="Response body"
            body={call.response_body}
            none={
              call.restricted
                ? hidden
                : "The answer was a file or a stream, which the log does not keep."
            }
          />
        </div>
        <div className="grid min-w-0 gap-5">
          <Card title="Details">
            <Facts items={factsOf(call)} className="sm:grid-cols-[7rem_1fr]!" />
          </Card>
          <Card
            title="Request headers"
            description={call.restricted ? hidden : "Secrets are hidden."}
          >
            <dl className="grid gap-2 text-fine">
              {Object.entries(call.request_headers).map(([name, value]) => (
                <div key={name}>
                  <dt className="text-muted">{name}</dt>
                  <dd className="font-mono">{value}</dd>
                </div>
              ))}
            </dl>
          </Card>
        </div>
      </div>
    </>
  );
}

const hidden = "Your role may not make this call, so its content is hidden.";

function Body({
  title,
  label,
  body,
  none,
}: {
  title: string;
  label: string;
  body: string | null;
  none: string;
}) {
  return (
    <Card title={title}>
      {body ? (
        <CodeBlock
          code={readableBody(body)}
          label={label}
          copyLabel={`Copy ${label.toLowerCase()}`}
        />
      ) : (
        <p className="text-muted">{none}</p>
      )}
    </Card>
  );
}

const factsOf = (call: LoggedRequestDetail) => [
  { label: "When", value: <Time value={call.created_at} /> },
  { label: "Took", value: duration(call.duration_ms) },
  {
    label: call.caller === "key" ? "API key" : "Person",
    value: (call.api_key ?? call.person)?.name,
  },
  {
    label: "Query",
    value: call.query ? <span className="font-mono text-fine">{call.query}</span> : null,
  },
  { label: "Address", value: call.ip_address },
  { label: "Program", value: call.user_agent },
  {
    label: "Idempotency",
    value: call.idempotency_key ? (
      <span className="font-mono text-fine">{call.idempotency_key}</span>
    ) : null,
  },
  { label: "Request id", value: <span className="font-mono text-fine">{call._id}</span> },
];
