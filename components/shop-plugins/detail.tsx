"use client";

import { Ban, KeyRound, RefreshCw } from "lucide-react";
import { useState } from "react";
import { OnlyFor } from "@/components/console/only-for";
import { given, shownFacts } from "@/components/record/facts";
import { RecordLink } from "@/components/record/record-link";
import { Unloaded } from "@/components/record/unloaded";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { Confirm } from "@/components/ui/dialog";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { later } from "@/lib/client/later";
import { notify } from "@/lib/client/notices";
import { useOrigin } from "@/lib/client/origin";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import type { Integration, IntegrationWithPassword } from "@/lib/contract/integrations";
import {
  getIntegration,
  renewIntegrationPassword,
  replaceIntegrationKeys,
  revokeIntegration,
} from "@/lib/contract/operations";
import { Callbacks } from "./callbacks";
import { PluginBadge } from "./list";
import { connectAgain, constantsOf, lacksKeys, pluginName, stepsOf } from "./words";

const NewPassword = later(() => import("./dialogs").then((module) => module.NewPassword));

/** One shop plugin: how to connect it, its webhooks, and what its shop said. */
export function ShopPlugin({ id }: { id: string }) {
  return (
    <OnlyFor endpoint={getIntegration}>
      <Detail id={id} />
    </OnlyFor>
  );
}

function Detail({ id }: { id: string }) {
  const { path } = useScope();
  const answer = useEndpoint(getIntegration, { params: { integration_id: id } });
  const plugin = answer.data;
  useTitle(plugin?.name, plugin && pluginName(plugin));
  const back = { href: path("/settings/shop-plugins"), label: "Shop plugins" };
  if (!plugin) return <Unloaded title="Shop plugin" back={back} answer={answer} />;
  return (
    <>
      <PageHeader
        title={plugin.name}
        badge={<PluginBadge plugin={plugin} />}
        back={back}
        description={pluginName(plugin)}
        actions={plugin.revoked_at ? null : <Actions plugin={plugin} />}
      />
      <div className="grid items-start gap-5">
        <div className="grid min-w-0 gap-5">
          {plugin.revoked_at ? null : <Instructions plugin={plugin} />}
          <Callbacks plugin={plugin} />
        </div>
        <Card title="Plugin">
          <Facts items={factsOf(plugin)} className="sm:grid-cols-[7rem_1fr]!" />
        </Card>
      </div>
    </>
  );
}

function Instructions({ plugin }: { plugin: Integration }) {
  const origin = useOrigin();
  return (
    <Card
      title="How to connect it"
      description="Both addresses stay the same for test and live mode: the password decides."
    >
      <ol className="grid list-decimal gap-4 pl-5 marker:text-muted">
        <li>
          <p className="mb-1.5">
            Search the plugin’s folder for PRODUCTION_URL. Change both constants to this address,
            with the slash at its end:
          </p>
          <CodeBlock code={constantsOf(origin)} label="Constants" copyLabel="Copy constants" />
        </li>
        {stepsOf(plugin.plugin).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </Card>
  );
}

const factsOf = (plugin: Integration) =>
  shownFacts<Record<string, unknown>>({
    hooks: {
      label: "Webhooks",
      value:
        plugin.hooks.length === 0 ? (
          "None yet"
        ) : (
          <ul className="grid gap-0.5">
            {plugin.hooks.map(({ _id, url, enabled }) => (
              <li key={_id} className="font-mono text-fine [overflow-wrap:anywhere]">
                {enabled ? url : `${url} (off)`}
              </li>
            ))}
          </ul>
        ),
    },
    password_shown_to: {
      label: "Password seen by",
      value: plugin.password_shown_to.join(", ") || "None of the team",
    },
    keys_replaced_at: given(
      "Keys replaced",
      plugin.keys_replaced_at && <Time value={plugin.keys_replaced_at} />,
    ),
    keys_read_at: given(
      "Retrieved",
      plugin.keys_replaced_at && <Time value={plugin.keys_read_at} none="Not yet" />,
    ),
    last_seen_at: {
      label: "Last call",
      value: <Time value={plugin.last_seen_at} none="Never" />,
    },
    links: {
      label: "Links",
      value: (
        <RecordLink
          to={`/payment-links?integration_id=${plugin._id}`}
          text="All links of this shop"
        />
      ),
    },
    number: { label: "Number", value: String(plugin.number) },
    revoked_at: given("Revoked", plugin.revoked_at && <Time value={plugin.revoked_at} />),
    created_at: { label: "Created", value: <Time value={plugin.created_at} /> },
  });

function Actions({ plugin }: { plugin: Integration }) {
  const [asking, setAsking] = useState<"password" | "keys" | "revoke" | null>(null);
  const [made, setMade] = useState<IntegrationWithPassword | null>(null);
  const params = { integration_id: plugin._id };
  const onSuccess = (renewed: IntegrationWithPassword) => {
    setAsking(null);
    setMade(renewed);
  };
  const renew = useAction(renewIntegrationPassword, { onSuccess });
  const replace = useAction(replaceIntegrationKeys, { onSuccess });
  const revoke = useAction(revokeIntegration, {
    onSuccess: ({ name }) => {
      setAsking(null);
      notify({ title: `“${name}” revoked`, tone: "good" });
    },
  });
  const dialog = (name: typeof asking) => ({
    open: asking === name,
    onOpenChange: (open: boolean) => setAsking(open ? name : null),
  });
  return (
    <>
      <Button onClick={() => setAsking("password")}>
        <RefreshCw aria-hidden="true" className="size-4" />
        New password…
      </Button>
      <Button onClick={() => setAsking("keys")}>
        <KeyRound aria-hidden="true" className="size-4" />
        Replace keys…
      </Button>
      <Button onClick={() => setAsking("revoke")}>
        <Ban aria-hidden="true" className="size-4" />
        Revoke…
      </Button>
      <Confirm
        title="Create a new password?"
        confirm="Create password"
        cancel="Keep it"
        tone="primary"
        busy={renew.busy}
        onConfirm={() => renew.run({ params })}
        {...dialog("password")}
      >
        <p>
          The old password and its sign-ins end at once.{" "}
          {lacksKeys(plugin)
            ? connectAgain
            : "The plugin keeps taking payments with its API key. Anyone who knows that key can keep using it. To stop them, replace the keys instead."}
        </p>
      </Confirm>
      <Confirm
        title="Replace the keys?"
        confirm="Replace keys"
        cancel="Keep them"
        busy={replace.busy}
        onConfirm={() => replace.run({ params })}
        {...dialog("keys")}
      >
        <div className="grid gap-3">
          <p>API key, signature key, password and sign-ins end at once. {connectAgain}</p>
          <p>
            Open payment links can still be paid. Their callbacks wait, and go out 15 minutes after
            the shop has retrieved its keys. If you save later, they go out later again. Until you
            save the new keys there, the shop still accepts callbacks signed with the old key.
          </p>
        </div>
      </Confirm>
      <Confirm
        title={`Revoke “${plugin.name}”?`}
        confirm="Revoke plugin"
        cancel="Keep it"
        busy={revoke.busy}
        onConfirm={() => revoke.run({ params })}
        {...dialog("revoke")}
      >
        <p>
          The shop can take no more payments, and pending callbacks are cancelled. Open payment
          links can still be paid. This can’t be undone.
        </p>
      </Confirm>
      <NewPassword made={made} onClose={() => setMade(null)} />
    </>
  );
}
