"use client";

import { Plus, Store } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { OnlyFor } from "@/components/console/only-for";
import { Badge, StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect } from "@/components/ui/filter-bar";
import { KeepFocus } from "@/components/ui/keep-focus";
import { PageHeader } from "@/components/ui/page-header";
import { columnsOf } from "@/components/ui/table-columns";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { later } from "@/lib/client/later";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useScope } from "@/lib/client/use-scope";
import type { Integration, IntegrationWithPassword } from "@/lib/contract/integrations";
import { listIntegrations } from "@/lib/contract/operations";
import { lacksKeys, pluginName } from "./words";

const loadDialogs = () => import("./dialogs");
const ConnectPlugin = later(() => loadDialogs().then((module) => module.ConnectPlugin));
const NewPassword = later(() => loadDialogs().then((module) => module.NewPassword));

/** Whether a plugin works, in a word. */
export function PluginBadge({ plugin }: { plugin: Integration }) {
  if (plugin.revoked_at) return <Badge>Revoked</Badge>;
  if (lacksKeys(plugin)) return <Badge tone="warn">New keys not retrieved</Badge>;
  return plugin.last_seen_at ? (
    <Badge tone="good">Connected</Badge>
  ) : (
    <Badge tone="warn">Not used yet</Badge>
  );
}

const column = columnsOf<Integration>();
const columns = column.columns([
  column.accessor("name", {
    header: "Name",
    meta: { card: "title" },
    cell: ({ row }) => (
      <span dir="auto" lang="">
        {row.original.name}
      </span>
    ),
  }),
  column.accessor("plugin", { header: "Plugin", cell: ({ row }) => pluginName(row.original) }),
  column.accessor("revoked_at", {
    header: "State",
    meta: { card: "aside" },
    cell: ({ row }) => <PluginBadge plugin={row.original} />,
  }),
  column.accessor("last_seen_at", {
    header: "Last call",
    cell: ({ row }) => <Time value={row.original.last_seen_at} show="relative" none="Never" />,
  }),
  column.accessor("last_callback", {
    header: "Last callback",
    cell: ({ row }) =>
      row.original.last_callback ? (
        <StatusBadge status={row.original.last_callback.status} />
      ) : (
        "None yet"
      ),
  }),
  column.accessor("created_at", {
    header: "Created",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

/** Settings → Shop plugins: what is connected in this mode. */
export function ShopPlugins() {
  const { mode } = useScope();
  return (
    <OnlyFor endpoint={listIntegrations}>
      <Plugins key={mode} />
    </OnlyFor>
  );
}

function Plugins() {
  const { mode, path } = useScope();
  const router = useRouter();
  const list = useListState(["status"]);
  const answer = useEndpoint(listIntegrations, { query: list.query }, { keepPrevious: true });
  const [connecting, setConnecting] = useState(false);
  const [made, setMade] = useState<IntegrationWithPassword | null>(null);
  const nothing = nothingYet(list, answer);
  const connect = (
    <KeepFocus id="create">
      <Button variant="primary" onClick={() => setConnecting(true)}>
        <Plus aria-hidden="true" className="size-4" />
        Connect a plugin
      </Button>
    </KeepFocus>
  );
  return (
    <>
      <PageHeader
        title="Shop plugins"
        description={`The plugins made for Swipe and Payje take payments through Kutip. These are the ones of ${mode} mode.`}
        actions={nothing ? null : connect}
      />
      {nothing ? null : (
        <FilterBar list={list}>
          <FilterSelect
            label="State"
            value={list.values.status}
            onChange={(status) => list.set({ status })}
            options={[
              { value: "active", label: "Connected" },
              { value: "revoked", label: "Revoked" },
            ]}
          />
        </FilterBar>
      )}
      <DataTable
        label="Shop plugins"
        columns={columns}
        answer={answer}
        list={list}
        href={(plugin) => path(`/settings/shop-plugins/${plugin._id}`)}
        empty={
          <EmptyState icon={<Store />} title="Keep the plugin that your shop has" action={connect}>
            WooCommerce, Gravity Forms, GiveWP and OpenCart shops with a plugin made for Swipe or
            Payje change two addresses and sign in with a password from here.
          </EmptyState>
        }
      />
      <ConnectPlugin
        open={connecting}
        onOpenChange={setConnecting}
        onMade={(plugin) => {
          setConnecting(false);
          setMade(plugin);
        }}
      />
      <NewPassword
        made={made}
        onClose={() => made && router.push(path(`/settings/shop-plugins/${made._id}`))}
      />
    </>
  );
}
