"use client";

import { Inbox } from "lucide-react";
import { useState } from "react";
import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Badge, StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { EmptyState } from "@/components/ui/empty-state";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { useLocalList } from "@/lib/client/local-list";
import { notify } from "@/lib/client/notices";
import {
  type GatewayCallback,
  type GatewayConnection,
  GatewayConnectionInput,
} from "@/lib/contract/gateway-connections";
import { listGatewayCallbacks, updateGatewayConnection } from "@/lib/contract/operations";
import { gatewayTitle } from "@/lib/contract/payment-methods";
import { type CallbackSecretWords, wordsOf } from "./words";

/** "Signing secret" within a sentence; "X Signature key" keeps its letter. */
const inSentence = (label: string): string => label.replace(/^S/, "s");

/** How a gateway reaches us, whether it does, and what it said. */
export function Callbacks({ connection }: { connection: GatewayConnection }) {
  const { gateway, has_webhook_secret, last_callback_at } = connection;
  const words = wordsOf(gateway);
  const secret = words?.callbackSecret;
  /** By Kutip itself, or by its people: the steps are done. */
  const isSetUp = secret?.asked === "later" && has_webhook_secret;
  const state = !has_webhook_secret
    ? (["Not set up", "warn"] as const)
    : last_callback_at
      ? (["Arriving", "good"] as const)
      : (["None yet", "warn"] as const);
  return (
    <>
      <Card
        title="Callbacks"
        description={words?.callbacks ?? ""}
        actions={<Badge tone={state[1]}>{state[0]}</Badge>}
      >
        <ol className="grid list-decimal gap-4 pl-5 marker:text-muted">
          <li>
            <p className="mb-1.5">
              {(isSetUp ? null : words?.webhookIn) ?? "Callbacks come to this address:"}
            </p>
            <CodeBlock
              code={connection.callback_url}
              label="Callback address"
              copyLabel="Copy callback address"
            />
          </li>
          {words?.events ? (
            <li>
              <p className="mb-1.5">
                {isSetUp ? "It listens to these events:" : "Let it listen to these events:"}
              </p>
              <CodeBlock code={words.events.join("\n")} label="Events" copyLabel="Copy events" />
            </li>
          ) : null}
          {secret ? (
            <li>
              <p className="mb-1.5">
                {has_webhook_secret
                  ? `Its ${inSentence(secret.label)} is kept here.`
                  : `Paste the ${inSentence(secret.label)} here. Until then every callback is rejected.`}
              </p>
              <Secret key={String(has_webhook_secret)} connection={connection} secret={secret} />
            </li>
          ) : (
            <li>Let it listen to all events. Its key is fetched when its first callback comes.</li>
          )}
        </ol>
        <p className="mt-4 text-muted">
          {last_callback_at ? (
            <>
              Last one <Time value={last_callback_at} />.
            </>
          ) : (
            "No callback has come yet."
          )}
        </p>
      </Card>
      <Said connection={connection} />
    </>
  );
}

const SecretAlone = GatewayConnectionInput.pick({ webhook_secret: true }).required();

type SecretProps = { connection: GatewayConnection; secret: CallbackSecretWords };

function Secret({ connection, secret }: SecretProps) {
  const [replacing, setReplacing] = useState(!connection.has_webhook_secret);
  const update = useAction(updateGatewayConnection, { onProblem: () => undefined });
  const form = useContractForm(SecretAlone, {
    defaults: { webhook_secret: "" },
    submit: (body) => update.runAsync({ params: { connection_id: connection._id }, body }),
    onSaved: () => {
      setReplacing(false);
      notify({
        title: `The ${inSentence(secret.label)} is kept`,
        description: "Callbacks signed with this secret are now accepted.",
        tone: "good",
      });
    },
  });
  if (!replacing) return <Button onClick={() => setReplacing(true)}>Replace secret…</Button>;
  return (
    <Form form={form} label="Webhook secret">
      <TextField
        form={form}
        name="webhook_secret"
        label={secret.label}
        hint={secret.hint}
        autoComplete="off"
        spellCheck={false}
        className="max-w-xl"
      />
      <SubmitButton className="justify-self-start">Save secret</SubmitButton>
    </Form>
  );
}

const column = columnsOf<GatewayCallback>();
const columns = column.columns([
  column.accessor("type", {
    header: "Event",
    meta: { card: "title" },
    cell: ({ row }) => (
      <span className="grid gap-0.5">
        <code className="font-mono text-fine [overflow-wrap:anywhere]">{row.original.type}</code>
        {row.original.problem ? (
          <span className="max-w-prose text-fine text-bad">{row.original.problem}</span>
        ) : null}
      </span>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    meta: { card: "aside" },
    cell: ({ row }) => <StatusBadge status={row.original.status} />,
  }),
  column.accessor("created_at", {
    header: "When",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

const POLL_MS = 5_000;

/** What has called back, what was set aside first asked for. */
function Said({ connection }: { connection: GatewayConnection }) {
  const list = useLocalList();
  const [aside, setAside] = useState(false);
  const query = { ...list.query, ...(aside ? { status: "quarantined" as const } : {}) };
  const answer = useEndpoint(
    listGatewayCallbacks,
    { params: { connection_id: connection._id }, query },
    { keepPrevious: true, every: POLL_MS },
  );
  return (
    <section aria-labelledby={`said-${connection._id}`} className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 id={`said-${connection._id}`} className="text-lead font-semibold tracking-[-0.01em]">
          Callbacks from {gatewayTitle(connection.gateway)}
        </h2>
        <Button
          aria-pressed={aside}
          onClick={() => {
            setAside(!aside);
            list.setPage(1);
          }}
        >
          {aside ? "Show all" : `Set aside (${connection.quarantined})`}
        </Button>
      </div>
      {connection.quarantined > 0 ? (
        <p role="status" className="mb-3 rounded-control bg-bad-soft px-3.5 py-2.5 text-bad">
          {connection.quarantined === 1
            ? "One callback does"
            : `${connection.quarantined} callbacks do`}{" "}
          not match Kutip’s records. {connection.quarantined === 1 ? "It was" : "They were"} set
          aside and not counted. Check {connection.quarantined === 1 ? "it" : "them"} in{" "}
          {gatewayTitle(connection.gateway)}.
        </p>
      ) : null}
      <DataTable
        label="Callbacks"
        columns={columns}
        answer={answer}
        list={list}
        empty={
          <EmptyState icon={<Inbox />} title={aside ? "Nothing was set aside" : "No callbacks yet"}>
            {aside
              ? "Callbacks that do not match Kutip’s records are listed here."
              : `Once ${gatewayTitle(connection.gateway)} has the address above, its callbacks are listed here.`}
          </EmptyState>
        }
      />
    </section>
  );
}
