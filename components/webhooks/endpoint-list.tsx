"use client";

import { Plus, Webhook } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ReferenceLink } from "@/components/developers/reference-link";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect } from "@/components/ui/filter-bar";
import { KeepFocus } from "@/components/ui/keep-focus";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { later } from "@/lib/client/later";
import { useOrigin } from "@/lib/client/origin";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { createWebhookEndpoint, listWebhookEndpoints } from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import type { WebhookEndpointWithSecret } from "@/lib/contract/webhooks";
import { EndpointBadge } from "./endpoint-badge";
import { typesText } from "./words";

const column = columnsOf<WebhookEndpoint>();
const columns = column.columns([
  column.accessor("url", {
    header: "Address",
    meta: { card: "title" },
    cell: ({ row }) => (
      <span className="block max-w-96 truncate" title={row.original.url}>
        {row.original.url.replace(/^https:\/\//, "")}
      </span>
    ),
  }),
  column.accessor("description", {
    header: "Description",
    cell: ({ row }) => (
      <span dir="auto" lang="" className="block max-w-48 truncate">
        {row.original.description ?? "–"}
      </span>
    ),
  }),
  column.accessor("events", { header: "Events", cell: ({ row }) => typesText(row.original) }),
  column.accessor("enabled", {
    header: "State",
    meta: { card: "aside" },
    cell: ({ row }) => <EndpointBadge endpoint={row.original} />,
  }),
  column.accessor("created_at", {
    header: "Created",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

const loadDialogs = () => import("./endpoint-dialogs");
const CreateEndpoint = later(() => loadDialogs().then((module) => module.CreateEndpoint));
const NewSecret = later(() => loadDialogs().then((module) => module.NewSecret));

const firstEndpoint = {
  url: "https://shop.example/webhooks",
  events: ["payment_link.paid", "payment.refunded"],
  description: "Web shop",
};

/** The endpoints of this business and mode. */
export function EndpointList() {
  const baseUrl = useOrigin();
  const { path } = useScope();
  const { may } = useMembership();
  const router = useRouter();
  const list = useListState(["status"]);
  const answer = useEndpoint(listWebhookEndpoints, { query: list.query }, { keepPrevious: true });
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<WebhookEndpointWithSecret | null>(null);
  const nothing = nothingYet(list, answer);
  const create = may(createWebhookEndpoint) ? (
    <KeepFocus id="create">
      <Button variant="primary" onClick={() => setCreating(true)}>
        <Plus aria-hidden="true" className="size-4" />
        Add endpoint
      </Button>
    </KeepFocus>
  ) : null;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Your addresses that receive events as they happen, signed and retried until they are accepted."
        actions={
          <>
            <ReferenceLink at="receiving-webhooks" />
            {nothing ? null : create}
          </>
        }
      />
      {nothing ? null : (
        <FilterBar list={list}>
          <FilterSelect
            label="State"
            value={list.values.status}
            onChange={(status) => list.set({ status })}
            options={[
              { value: "enabled", label: "Enabled" },
              { value: "disabled", label: "Disabled" },
            ]}
          />
        </FilterBar>
      )}
      <DataTable
        label="Webhook endpoints"
        columns={columns}
        answer={answer}
        list={list}
        href={(endpoint) => path(`/developers/webhooks/${endpoint._id}`)}
        empty={
          <EmptyState
            icon={<Webhook />}
            title="Know about a payment the moment it happens"
            action={create ?? undefined}
            code={{
              label: "How a program adds one",
              text: snippet(createWebhookEndpoint, "curl", {
                baseUrl,
                body: firstEndpoint,
              }),
            }}
          >
            Enter the address of your program. Every event is signed, so your program can check that
            it comes from Kutip. On your own machine,{" "}
            <code className="font-mono text-fine">kutip listen --forward-to URL</code> sends events
            of test mode without a public address.
          </EmptyState>
        }
      />
      <CreateEndpoint
        open={creating}
        onOpenChange={setCreating}
        onMade={(endpoint) => {
          setCreating(false);
          setMade(endpoint);
        }}
      />
      <NewSecret
        made={made}
        rotated={false}
        onClose={() => made && router.push(path(`/developers/webhooks/${made._id}`))}
      />
    </>
  );
}
