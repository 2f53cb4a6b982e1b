"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { pluginName } from "@/components/shop-plugins/words";
import { ErrorState } from "@/components/ui/error-state";
import { Checkbox } from "@/components/ui/fields";
import { useEndpoint } from "@/lib/client/hooks";
import { keys as queryKeys } from "@/lib/client/keys";
import { useScope } from "@/lib/client/use-scope";
import {
  getMemberSecrets,
  getSigningSecret,
  listMemberApiKeys,
  listMemberIntegrations,
} from "@/lib/contract/operations";
import type { Member } from "@/lib/contract/team";
import { modes } from "@/lib/contract/values";
import { HeldWebhooks } from "./held-webhooks";

/** What a member can use without their session: keys, shop plugins, webhooks and secrets, and whether to end it. `own`: it is who asks. */
export function useHeldKeys({ _id }: Member, own: boolean) {
  const input = { params: { member_id: _id } };
  const keys = useEndpoint(listMemberApiKeys, input);
  const plugins = useEndpoint(listMemberIntegrations, input);
  const secrets = useEndpoint(getMemberSecrets, input);
  const client = useQueryClient();
  const { business } = useScope();
  const [revoke, setRevoke] = useState(true);
  // Who goes cannot connect shops and programs again, and would leave them closed.
  const [replace, setReplace] = useState(!own);
  const [disable, setDisable] = useState(!own);
  const [roll, setRoll] = useState(!own);
  const unread = [keys, plugins, secrets].filter(({ data }) => data === undefined);
  return {
    own,
    keys: keys.data ?? [],
    plugins: plugins.data ?? [],
    revoke,
    setRevoke,
    replace,
    setReplace,
    secrets: secrets.data ?? { webhook_endpoints: [], signing_secrets: [] },
    disable,
    setDisable,
    roll,
    setRoll,
    isPending: keys.isPending || plugins.isPending || secrets.isPending,
    error: unread.find(({ error }) => error)?.error ?? null,
    retry: () => {
      for (const { refetch } of unread) void refetch();
    },
    /** What is not listed is asked for too, so that what was made since ends. */
    query: {
      revoke_api_keys: revoke,
      replace_integration_keys: replace,
      disable_webhook_endpoints: disable,
      roll_signing_secrets: roll,
    },
    /** Once it was done: a page that showed a signing secret reads it anew. */
    forget: () => {
      for (const mode of modes)
        client.removeQueries({
          queryKey: queryKeys.call({ business, mode }, getSigningSecret, {}),
        });
    },
  };
}

/** Lists them, and asks which of them end. */
export function HeldKeys({
  held,
  member,
}: {
  held: ReturnType<typeof useHeldKeys>;
  member: Member;
}) {
  const who = held.own ? "you" : member.name;
  return (
    <>
      {held.error ? (
        <ErrorState
          title={`What ${who} can still use did not load`}
          error={held.error}
          retry={held.retry}
        />
      ) : null}
      {held.keys.length > 0 ? (
        <>
          <p>API keys created by {who} that still work:</p>
          <ul aria-label="API keys" className="list-disc pl-5">
            {held.keys.map((key) => (
              <li key={key._id}>
                {key.name} ({key.mode}, …{key.last_four})
              </li>
            ))}
          </ul>
          <Checkbox
            label="Revoke these keys"
            hint="Programs that use them stop working."
            checked={held.revoke}
            onChange={(event) => held.setRevoke(event.target.checked)}
          />
        </>
      ) : null}
      {held.plugins.length > 0 ? (
        <>
          <p>{who} saw the passwords of these shop plugins:</p>
          <ul aria-label="Shop plugins" className="list-disc pl-5">
            {held.plugins.map((plugin) => (
              <li key={plugin._id}>
                {plugin.name} ({plugin.mode}, {pluginName(plugin)})
              </li>
            ))}
          </ul>
          <Checkbox
            label="Replace the keys of these plugins"
            hint="Each shop takes no new payments until its plugin has signed in with a new password and retrieved its new keys. Open payment links can still be paid."
            checked={held.replace}
            onChange={(event) => held.setReplace(event.target.checked)}
          />
        </>
      ) : null}
      <HeldWebhooks
        who={who}
        secrets={held.secrets}
        disable={{ checked: held.disable, change: held.setDisable }}
        roll={{ checked: held.roll, change: held.setRoll }}
      />
    </>
  );
}

/** What is to be done for what they knew, by who still can. The owners are mailed too. */
export function afterWords({
  own,
  plugins,
  replace,
  secrets: { webhook_endpoints: webhooks, signing_secrets: seen },
  disable,
  roll,
}: ReturnType<typeof useHeldKeys>): string | undefined {
  if (own) return undefined;
  const steps = [
    replace && plugins.length > 0
      ? "Create a new password for their shop plugins under Settings → Shop plugins."
      : "",
    disable && webhooks.some(({ address_chosen: chosen, enabled }) => chosen && enabled)
      ? "Enable the endpoints that are yours under Developers → Webhooks."
      : "",
    webhooks.some(({ secret_shown: shown }) => shown)
      ? "Rotate the webhook secrets that they saw."
      : "",
    roll && seen.length > 0
      ? "Give your programs the new signing secret, under Settings → Signing secret."
      : "",
  ];
  return steps.filter(Boolean).join(" ") || undefined;
}
