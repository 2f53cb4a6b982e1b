"use client";

import { Fragment, useState } from "react";
import { OnlyFor } from "@/components/console/only-for";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { Confirm } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useScope } from "@/lib/client/use-scope";
import type { GatewayConnection } from "@/lib/contract/gateway-connections";
import {
  getBusiness,
  listGatewayConnections,
  revokeGatewayConnection,
  updateGatewayConnection,
} from "@/lib/contract/operations";
import { Callbacks } from "./callbacks";
import { ConnectGateway } from "./connect";
import { ReplaceKey } from "./replace-key";
import { gatewayTitle } from "@/lib/contract/payment-methods";
import { type ConnectableName, gatewayNames, wordsOf } from "./words";

/** Where the payments of this mode are taken. */
export function GatewaySettings() {
  const { mode } = useScope();
  return (
    <>
      <PageHeader
        title="Payment provider"
        description={`Where payments of ${mode} mode are taken. Test and live mode each have their own.`}
      />
      <OnlyFor endpoint={listGatewayConnections}>
        <Connections key={mode} />
      </OnlyFor>
    </>
  );
}

/** Whether callbacks arrive is seen without loading the page again. */
const POLL_MS = 5_000;

function Connections() {
  const answer = useEndpoint(
    listGatewayConnections,
    { query: { per_page: 100 } },
    { every: POLL_MS },
  );
  if (answer.error && !answer.data)
    return <ErrorState error={answer.error} retry={() => void answer.refetch()} />;
  if (!answer.data) {
    return (
      <Loading label="Loading the payment provider">
        <Skeleton className="h-44 max-w-3xl" />
      </Loading>
    );
  }
  const active = answer.data.data
    .filter((one) => wordsOf(one.gateway) !== undefined && one.status === "active")
    .sort((one, other) => (one.position ?? 0) - (other.position ?? 0));
  const others = gatewayNames.filter((name) => active.every(({ gateway }) => gateway !== name));
  const earlier = answer.data.data.filter((one) => one.status === "revoked");
  return (
    <div className="grid max-w-3xl gap-5">
      {active.length === 0 ? <NotConnected /> : null}
      {active.map((one) => (
        <Fragment key={one._id}>
          <Connected connection={one} count={active.length} />
          <Callbacks connection={one} />
        </Fragment>
      ))}
      {active.length > 0 && others.length > 0 ? <Another names={others} /> : null}
      {earlier.length > 0 ? <Earlier connections={earlier} /> : null}
    </div>
  );
}

/** A second gateway beside the one in use. Saved methods and open payments stay with theirs. */
function Another({ names }: { names: readonly ConnectableName[] }) {
  const [asked, setAsked] = useState(false);
  if (asked) return <ConnectGateway names={names} />;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button onClick={() => setAsked(true)}>Connect another payment provider…</Button>
      <p className="text-muted">
        Payers then choose how to pay from what your providers offer. Saved methods and open
        payments stay with their provider.
      </p>
    </div>
  );
}

function NotConnected() {
  const { mode } = useScope();
  return (
    <>
      <Card
        title={mode === "test" ? "The simulator" : "No payment provider yet"}
        actions={
          <Badge tone={mode === "test" ? "good" : "warn"}>
            {mode === "test" ? "In use" : "Not connected"}
          </Badge>
        }
      >
        <p className="max-w-prose text-muted">
          {mode === "test"
            ? "Payments of test mode go to Kutip’s own simulator, where you choose how each one ends. Connect a test account of a payment provider to try the way your payers will go."
            : "Live mode takes no payments until a payment provider is connected. Payers pay on the provider’s own page; no card passes through Kutip."}
        </p>
      </Card>
      <ConnectGateway names={gatewayNames} />
    </>
  );
}

function Connected({ connection, count }: { connection: GatewayConnection; count: number }) {
  const title = gatewayTitle(connection.gateway);
  const [replacing, setReplacing] = useState(false);
  const [revoking, setRevoking] = useState(false);
  const order = useAction(updateGatewayConnection, {
    onSuccess: () => notify({ title: `${title} is first now`, tone: "good" }),
  });
  const revoke = useAction(revokeGatewayConnection, {
    invalidates: [getBusiness],
    onSuccess: () => {
      setRevoking(false);
      notify({
        title: `${title} is no longer connected`,
        description: "Its keys are forgotten.",
        tone: "good",
      });
    },
  });
  return (
    <Card
      title={title}
      description={
        connection.position !== null && count > 1
          ? `${connection.position === 1 ? "First" : `Number ${connection.position}`} of ${count}: where providers offer the same way to pay, the first one gets it. ${wordsOf(connection.gateway)?.page ?? ""}`
          : `New payments of this mode go there. ${wordsOf(connection.gateway)?.page ?? ""}`
      }
      actions={
        <>
          {connection.position !== null && connection.position > 1 ? (
            <Button
              busy={order.busy}
              onClick={() =>
                order.run({ params: { connection_id: connection._id }, body: { first: true } })
              }
            >
              Put first
            </Button>
          ) : null}
          <Button onClick={() => setReplacing(true)}>Replace key…</Button>
          <Button onClick={() => setRevoking(true)}>Revoke…</Button>
        </>
      }
    >
      <Facts
        items={[
          { label: "State", value: <Badge tone="good">Connected</Badge> },
          {
            label: "Account",
            value: connection.account_name
              ? `${connection.account_name} (${connection.account})`
              : connection.account,
          },
          {
            label: "Secret key",
            value: <span className="font-mono">{`…${connection.last_four ?? ""}`}</span>,
          },
          {
            label: "Checked",
            value: connection.checked_at ? <Time value={connection.checked_at} /> : null,
          },
          { label: "Open payments", value: connection.open_attempts },
        ]}
      />
      <ReplaceKey connection={connection} open={replacing} onOpenChange={setReplacing} />
      <Confirm
        title={`Revoke ${title} for ${connection.mode} mode?`}
        confirm="Revoke"
        cancel="Keep it"
        busy={revoke.busy}
        open={revoking}
        onOpenChange={setRevoking}
        onConfirm={() => revoke.run({ params: { connection_id: connection._id } })}
      >
        <p>
          The keys are forgotten at once.{" "}
          {connection.mode === "live"
            ? "Live mode then takes no payments, unless another payment provider is connected."
            : "Test mode then goes back to the simulator, unless another payment provider is connected."}{" "}
          Saved methods and refunds of this account wait until the same account is connected again.
        </p>
        {connection.open_attempts > 0 ? (
          <p className="mt-2 font-medium text-ink">
            {connection.open_attempts === 1
              ? "One payment is still open there: its outcome"
              : `${connection.open_attempts} payments are still open there: their outcomes`}{" "}
            cannot be looked up until then. After 24 hours an owner or admin can resolve each of
            them.
          </p>
        ) : null}
      </Confirm>
    </Card>
  );
}

function Earlier({ connections }: { connections: readonly GatewayConnection[] }) {
  return (
    <Card
      title="Earlier connections"
      description="Connect the same account again to resume with the same callback address."
    >
      <ul className="grid gap-2">
        {connections.map((one) => (
          <li key={one._id} className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">
              {one.account_name ? `${one.account_name} (${one.account})` : one.account}
            </span>
            <span className="text-muted">
              Revoked {one.revoked_at ? <Time value={one.revoked_at} /> : null}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
