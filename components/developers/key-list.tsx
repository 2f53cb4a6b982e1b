"use client";

import { Ban, KeyRound, Plus, RefreshCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { Confirm } from "@/components/ui/dialog";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect } from "@/components/ui/filter-bar";
import { KeepFocus } from "@/components/ui/keep-focus";
import { MenuItem, RowMenu } from "@/components/ui/menu";
import { PageHeader } from "@/components/ui/page-header";
import { Day, Time } from "@/components/ui/time";
import { later } from "@/lib/client/later";
import { useOrigin } from "@/lib/client/origin";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { notify } from "@/lib/client/notices";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { ApiKey, NewApiKey } from "@/lib/contract/api-keys";
import { listApiKeys, listPaymentLinks, revokeApiKey } from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";
import { keyHint, keyState } from "./key-state";
import { NewKey } from "./new-key";
import { ReferenceLink } from "./reference-link";

const RollKey = later(() => import("./roll-key").then((module) => module.RollKey));
const CreateKey = later(() => import("./create-key").then((module) => module.CreateKey));

const column = columnsOf<ApiKey>();
const columns = column.columns([
  column.accessor("name", {
    header: "Name",
    meta: { card: "title" },
    cell: ({ row }) => row.original.name,
  }),
  column.accessor("last_four", {
    header: "Key",
    cell: ({ row }) => (
      <code className="font-mono text-fine whitespace-nowrap">{keyHint(row.original)}</code>
    ),
  }),
  column.accessor("revoked_at", {
    header: "State",
    meta: { card: "aside" },
    cell: ({ row }) => <State apiKey={row.original} />,
  }),
  column.accessor("last_used_at", {
    header: "Last used",
    cell: ({ row }) => <Time value={row.original.last_used_at} show="relative" none="Never" />,
  }),
  column.accessor("created_by", {
    header: "Created by",
    cell: ({ row }) => row.original.created_by ?? "The operator",
  }),
  column.accessor("created_at", {
    header: "Created",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

function State({ apiKey }: { apiKey: ApiKey }) {
  switch (keyState(apiKey, Date.now())) {
    case "revoked":
      return <Badge>Revoked</Badge>;
    case "expired":
      return <Badge>Expired</Badge>;
    case "ending":
      return (
        <span className="inline-flex flex-wrap items-center justify-end gap-x-2">
          <Badge tone="warn">Rolled</Badge>
          <span className="text-fine text-muted">
            ends <Time value={apiKey.revoked_at} show="relative" />
          </span>
        </span>
      );
    case "active":
      return (
        <span className="inline-flex flex-wrap items-center justify-end gap-x-2">
          <Badge tone="good">Active</Badge>
          {apiKey.expires_at ? (
            <span className="text-fine text-muted">
              until <Day value={apiKey.expires_at} />
            </span>
          ) : null}
        </span>
      );
  }
}

/** The first page of Developers: keys for those who manage them; others begin with the events. */
export function KeyList() {
  const { may } = useMembership();
  const { path } = useScope();
  const router = useRouter();
  const allowed = may(listApiKeys);
  useEffect(() => {
    if (!allowed) router.replace(path("/developers/events"));
  }, [allowed, router, path]);
  return allowed ? <Keys /> : null;
}

function Keys() {
  const baseUrl = useOrigin();
  const { mode } = useScope();
  const list = useListState(["status"]);
  const answer = useEndpoint(listApiKeys, { query: list.query }, { keepPrevious: true });
  const [creating, setCreating] = useState(false);
  const [rolling, setRolling] = useState<ApiKey | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [made, setMade] = useState<NewApiKey | null>(null);
  const revoke = useAction(revokeApiKey, {
    onSuccess: ({ name }) => {
      setRevoking(null);
      notify({
        title: `“${name}” revoked`,
        description: "Calls with it are refused within a second.",
        tone: "good",
      });
    },
  });
  const show = (key: NewApiKey) => {
    setCreating(false);
    setRolling(null);
    setMade(key);
  };
  const nothing = nothingYet(list, answer);
  const create = (
    <KeepFocus id="create">
      <Button variant="primary" onClick={() => setCreating(true)}>
        <Plus aria-hidden="true" className="size-4" />
        Create key
      </Button>
    </KeepFocus>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description={`Keys for programs, in ${mode} mode. A key can take and refund payments, so keep it as safe as a password.`}
        actions={
          <>
            <ReferenceLink />
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
              { value: "active", label: "Active" },
              { value: "revoked", label: "Ended" },
            ]}
          />
        </FilterBar>
      )}
      <DataTable
        label="API keys"
        columns={columns}
        answer={answer}
        list={list}
        actions={(key) => <KeyMenu apiKey={key} onRoll={setRolling} onRevoke={setRevoking} />}
        empty={
          <EmptyState
            icon={<KeyRound />}
            title="Let a program collect for you"
            action={create}
            code={{
              label: "What its first call looks like",
              text: snippet(listPaymentLinks, "curl", { baseUrl }),
            }}
          >
            With a key your shop, your bookkeeping or a script makes payment links, charges tokens
            and reads what was paid.
          </EmptyState>
        }
      />
      <CreateKey open={creating} onOpenChange={setCreating} onMade={show} />
      <RollKey target={rolling} onClose={() => setRolling(null)} onMade={show} />
      <NewKey made={made} onClose={() => setMade(null)} />
      <Confirm
        title={`Revoke “${revoking?.name ?? ""}”?`}
        confirm="Revoke key"
        cancel="Keep it"
        busy={revoke.busy}
        open={revoking !== null}
        onOpenChange={(open) => !open && setRevoking(null)}
        onConfirm={() => revoking && revoke.run({ params: { key_id: revoking._id } })}
      >
        {revoking ? (
          <p>
            Programs that use {keyHint(revoking)} are refused at once. This cannot be undone; to
            change a key without a gap, roll it.
          </p>
        ) : null}
      </Confirm>
    </>
  );
}

type KeyMenuProps = {
  apiKey: ApiKey;
  onRoll: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
};

function KeyMenu({ apiKey, onRoll, onRevoke }: KeyMenuProps) {
  const state = keyState(apiKey, Date.now());
  if (state === "revoked" || state === "expired") return null;
  return (
    <RowMenu label={`Actions for ${apiKey.name} (${keyHint(apiKey)})`}>
      {state === "active" ? (
        <MenuItem onSelect={() => onRoll(apiKey)} icon={<RefreshCw aria-hidden="true" />}>
          Roll…
        </MenuItem>
      ) : null}
      <MenuItem tone="danger" onSelect={() => onRevoke(apiKey)} icon={<Ban aria-hidden="true" />}>
        Revoke…
      </MenuItem>
    </RowMenu>
  );
}
