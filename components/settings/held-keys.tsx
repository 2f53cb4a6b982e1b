"use client";

import { useState } from "react";
import { pluginName } from "@/components/shop-plugins/words";
import { ErrorState } from "@/components/ui/error-state";
import { Checkbox } from "@/components/ui/fields";
import { useEndpoint } from "@/lib/client/hooks";
import { listMemberApiKeys, listMemberIntegrations } from "@/lib/contract/operations";
import type { Member } from "@/lib/contract/team";

/** The keys and shop plugins that a member can use without their session, and whether to end them. `own`: it is who asks. */
export function useHeldKeys({ _id }: Member, own: boolean) {
  const input = { params: { member_id: _id } };
  const keys = useEndpoint(listMemberApiKeys, input);
  const plugins = useEndpoint(listMemberIntegrations, input);
  const [revoke, setRevoke] = useState(true);
  // Who goes cannot connect the shops again, and would leave them closed.
  const [replace, setReplace] = useState(!own);
  const unread = [keys, plugins].filter(({ data }) => data === undefined);
  return {
    own,
    keys: keys.data ?? [],
    plugins: plugins.data ?? [],
    revoke,
    setRevoke,
    replace,
    setReplace,
    isPending: keys.isPending || plugins.isPending,
    error: unread.find(({ error }) => error)?.error ?? null,
    retry: () => {
      for (const { refetch } of unread) void refetch();
    },
    /** What is not listed is asked for too, so that what was made since ends. */
    query: { revoke_api_keys: revoke, replace_integration_keys: replace },
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
          title={`The API keys and shop plugins of ${who} did not load`}
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
    </>
  );
}

/** What is to be done for the plugins that lost their keys, by who still can. The owners are mailed too. */
export const replacedWords = ({ own, plugins, replace }: ReturnType<typeof useHeldKeys>) =>
  !own && replace && plugins.length > 0
    ? "Create a new password for their shop plugins under Settings → Shop plugins."
    : undefined;
