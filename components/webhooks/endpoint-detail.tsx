"use client";

import { History, Pencil, Power, PowerOff, RefreshCw, Send, Settings2, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { type FactsOf, given, shownFacts } from "@/components/record/facts";
import { GoneNotice } from "@/components/record/gone-notice";
import { Unloaded } from "@/components/record/unloaded";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { Confirm } from "@/components/ui/dialog";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { later } from "@/lib/client/later";
import { notify } from "@/lib/client/notices";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  rotateWebhookEndpoint,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from "@/lib/contract/operations";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import type { WebhookEndpointWithSecret } from "@/lib/contract/webhooks";
import { DeliveryList } from "./delivery-list";
import { EndpointBadge } from "./endpoint-badge";
import { typesText } from "./words";

const loadDialogs = () => import("./endpoint-dialogs");
const EditEndpoint = later(() => loadDialogs().then((module) => module.EditEndpoint));
const NewSecret = later(() => loadDialogs().then((module) => module.NewSecret));
const ReplayDialog = later(() => loadDialogs().then((module) => module.ReplayDialog));

type Asking = "edit" | "replay" | "rotate" | "disable" | "delete" | null;

/** One endpoint, what can be done with it, and what went there. */
export function EndpointDetail({ id }: { id: string }) {
  const { path } = useScope();
  const [gone, setGone] = useState(false);
  const answer = useEndpoint(
    getWebhookEndpoint,
    { params: { webhook_endpoint_id: id } },
    { enabled: !gone },
  );
  const endpoint = answer.data;
  useTitle(endpoint && nameOf(endpoint), endpoint?.description ? endpoint.url : undefined);
  const back = { href: path("/developers/webhooks"), label: "Webhooks" };
  if (!endpoint) return <Unloaded title="Webhook endpoint" back={back} answer={answer} />;
  return (
    <>
      <PageHeader
        title={nameOf(endpoint)}
        description={<span className="[overflow-wrap:anywhere]">{endpoint.url}</span>}
        badge={<EndpointBadge endpoint={endpoint} />}
        back={back}
        actions={<Actions endpoint={endpoint} onDeleted={() => setGone(true)} />}
      />
      <GoneNotice kind="webhook_endpoint" id={id} answer={answer} back={back} />
      <div className="grid items-start gap-5">
        <div className="min-w-0">
          <DeliveryList endpoint={endpoint} />
        </div>
        <Card title="Endpoint">
          <Facts items={shownFacts(factsOf(endpoint))} className="sm:grid-cols-[6rem_1fr]!" />
        </Card>
      </div>
    </>
  );
}

const nameOf = ({ description, url }: WebhookEndpoint) => description ?? new URL(url).host;

function Actions({ endpoint, onDeleted }: { endpoint: WebhookEndpoint; onDeleted: () => void }) {
  const { may } = useMembership();
  const { path } = useScope();
  const router = useRouter();
  const [asking, setAsking] = useState<Asking>(null);
  const [made, setMade] = useState<WebhookEndpointWithSecret | null>(null);
  const params = { webhook_endpoint_id: endpoint._id };
  const done = (title: string, description?: string) => {
    setAsking(null);
    notify({ title, tone: "good", ...(description ? { description } : {}) });
  };
  const test = useAction(testWebhookEndpoint, {
    onSuccess: () => notify({ title: "A test event is on its way", tone: "good" }),
  });
  const change = useAction(updateWebhookEndpoint, {
    onSuccess: ({ enabled }) =>
      enabled
        ? done("Endpoint enabled", "It receives events from now on.")
        : done("Endpoint disabled"),
  });
  const remove = useAction(deleteWebhookEndpoint, {
    onSuccess: () => {
      done("Endpoint deleted");
      onDeleted();
      router.push(path("/developers/webhooks"));
    },
  });
  const rotate = useAction(rotateWebhookEndpoint, {
    onSuccess: (rotated) => {
      setAsking(null);
      setMade(rotated);
    },
  });
  const dialog = (name: Asking) => ({
    open: asking === name,
    onOpenChange: (open: boolean) => setAsking(open ? name : null),
  });
  return (
    <>
      {may(testWebhookEndpoint) ? (
        <Button busy={test.busy} disabled={!endpoint.enabled} onClick={() => test.run({ params })}>
          <Send aria-hidden="true" className="size-4" />
          Send test event
        </Button>
      ) : null}
      {may(updateWebhookEndpoint) ? (
        <Menu
          trigger={
            <Button>
              <Settings2 aria-hidden="true" className="size-4" />
              Manage
            </Button>
          }
        >
          <MenuItem onSelect={() => setAsking("edit")} icon={<Pencil aria-hidden="true" />}>
            Edit…
          </MenuItem>
          <MenuItem
            onSelect={() => setAsking("replay")}
            disabled={!endpoint.enabled}
            icon={<History aria-hidden="true" />}
          >
            Send events again…
          </MenuItem>
          <MenuItem onSelect={() => setAsking("rotate")} icon={<RefreshCw aria-hidden="true" />}>
            Rotate secret…
          </MenuItem>
          {endpoint.enabled ? (
            <MenuItem onSelect={() => setAsking("disable")} icon={<PowerOff aria-hidden="true" />}>
              Disable…
            </MenuItem>
          ) : (
            <MenuItem
              onSelect={() => change.run({ params, body: { enabled: true } })}
              icon={<Power aria-hidden="true" />}
            >
              Enable
            </MenuItem>
          )}
          <MenuLine />
          <MenuItem
            tone="danger"
            onSelect={() => setAsking("delete")}
            icon={<Trash2 aria-hidden="true" />}
          >
            Delete…
          </MenuItem>
        </Menu>
      ) : null}
      <EditEndpoint endpoint={endpoint} {...dialog("edit")} />
      <ReplayDialog endpoint={endpoint} {...dialog("replay")} />
      <Confirm
        title="Rotate the secret?"
        confirm="Rotate secret"
        tone="primary"
        busy={rotate.busy}
        onConfirm={() => rotate.run({ params })}
        {...dialog("rotate")}
      >
        <p>
          The new secret signs at once. The previous one also signs for 24 hours, so you can switch
          without a gap. The one before it signs until its own 24 hours are over, and older secrets
          stop now.
        </p>
      </Confirm>
      <Confirm
        title="Disable this endpoint?"
        confirm="Disable endpoint"
        busy={change.busy}
        onConfirm={() => change.run({ params, body: { enabled: false } })}
        {...dialog("disable")}
      >
        <p>
          It receives no more events. Pending retries are cancelled. Once it is enabled you can send
          it what it missed.
        </p>
      </Confirm>
      <Confirm
        title="Delete this endpoint?"
        confirm="Delete endpoint"
        cancel="Keep it"
        busy={remove.busy}
        onConfirm={() => remove.run({ params })}
        {...dialog("delete")}
      >
        <p>
          {endpoint.url} receives no more events. Pending deliveries are cancelled. This can’t be
          undone.
        </p>
      </Confirm>
      <NewSecret made={made} rotated onClose={() => setMade(null)} />
    </>
  );
}

const signsUntil = (until: string | null) =>
  until && Date.parse(until) > Date.now() ? (
    <>
      signs too until <Time value={until} />
    </>
  ) : null;

const factsOf = (endpoint: WebhookEndpoint): FactsOf<WebhookEndpoint> => ({
  url: null,
  description: null,
  enabled: null,
  version: null,
  business_id: null,
  updated_at: null,
  events: {
    label: "Events",
    value: endpoint.events.includes("*") ? (
      typesText(endpoint)
    ) : (
      <ul className="grid gap-0.5">
        {endpoint.events.map((type) => (
          <li key={type}>
            <code className="font-mono text-fine">{type}</code>
          </li>
        ))}
      </ul>
    ),
  },
  disabled_reason: given(
    "Disabled",
    endpoint.disabled_reason === "gone" ? "It answered 410 Gone." : null,
  ),
  previous_secret_until: given("Old secret", signsUntil(endpoint.previous_secret_until)),
  earlier_secret_until: given("Secret before it", signsUntil(endpoint.earlier_secret_until)),
  created_at: { label: "Created", value: <Time value={endpoint.created_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{endpoint._id}</span> },
});
