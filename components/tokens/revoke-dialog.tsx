"use client";

import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { periodLink } from "@/components/subscriptions/words";
import { Confirm } from "@/components/ui/dialog";
import { type Draft, useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { getTokenization, listTokenizations, revokeTokenization } from "@/lib/contract/operations";
import type { SeenTokenization } from "@/lib/contract/tokenizations";
import { methodOf } from "./words";

const revoked =
  (id: string) =>
  ({ change }: Draft) => {
    const put = (token: SeenTokenization): SeenTokenization =>
      token._id === id ? { ...token, status: "revoked" } : token;
    change(listTokenizations, (page) => ({ ...page, data: page.data.map(put) }));
    change(getTokenization, put);
  };

/** Asks before a token is revoked, by its title; open while `token` is given. Shown at once, put back when the API refuses. */
export function RevokeDialog({
  token,
  onClose,
}: {
  token: SeenTokenization | null;
  onClose: () => void;
}) {
  const unsent = useUnsentReason();
  const { run } = useAction(revokeTokenization, {
    optimistic: (draft, { params }) => revoked(params.token)(draft),
    onSuccess: ({ title }) => notify({ title: `“${title}” revoked`, tone: "good" }),
  });
  const revoke = () => {
    if (token) run({ params: { token: token._id } });
    onClose();
  };
  return (
    <Confirm
      title={`Revoke “${token?.title ?? ""}”?`}
      confirm="Revoke token"
      cancel="Keep it"
      open={token !== null}
      onOpenChange={(open) => !open && onClose()}
      onConfirm={revoke}
    >
      {token ? (
        <p>
          {token.status === "active"
            ? `${methodOf(token) ?? "The saved method"} of ${token.email} can then no longer be charged. For subscriptions that use it, ${periodLink(unsent)}`
            : `The activation link of ${token.email} then no longer works.`}{" "}
          This cannot be undone.
        </p>
      ) : null}
    </Confirm>
  );
}
