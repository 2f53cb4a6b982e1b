"use client";

import { useState } from "react";
import { Confirm } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { Checkbox } from "@/components/ui/fields";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import {
  getMe,
  listApiKeys,
  listInvitations,
  listMemberApiKeys,
  removeMember,
} from "@/lib/contract/operations";
import type { Member } from "@/lib/contract/team";

/** Removes a member, or oneself, and offers to revoke the API keys that they made. */
export function RemoveMember({
  member,
  own,
  onClose,
}: {
  member: Member;
  own: boolean;
  onClose: () => void;
}) {
  const keys = useEndpoint(listMemberApiKeys, { params: { member_id: member._id } });
  const [revoke, setRevoke] = useState(true);
  const remove = useAction(removeMember, {
    invalidates: [getMe, listInvitations, listApiKeys],
    onSuccess: ({ name }) => {
      onClose();
      notify({ title: `${name} is no longer in the team`, tone: "good" });
    },
  });
  const made = keys.data ?? [];
  const unread = keys.data === undefined ? keys.error : null;
  return (
    <Confirm
      title={own ? "Leave this business?" : `Remove ${member.name}?`}
      confirm={own ? "Leave" : "Remove member"}
      cancel="Keep"
      busy={remove.busy || keys.isPending}
      disabled={unread !== null}
      open
      onOpenChange={(open) => !open && onClose()}
      onConfirm={() =>
        remove.run({
          params: { member_id: member._id },
          query: { revoke_api_keys: revoke },
        })
      }
    >
      <div className="grid gap-3">
        <p>
          {own ? "You lose" : `${member.email} loses`} access to this business immediately.
          Invitations {own ? "that you" : "that they"} sent are revoked too.
        </p>
        {unread ? (
          <ErrorState
            title={`The API keys that ${own ? "you" : member.name} created did not load`}
            error={unread}
            retry={() => void keys.refetch()}
          />
        ) : null}
        {made.length > 0 ? (
          <>
            <p>API keys created by {own ? "you" : member.name} that still work:</p>
            <ul aria-label="API keys" className="list-disc pl-5">
              {made.map((key) => (
                <li key={key._id}>
                  {key.name} ({key.mode}, …{key.last_four})
                </li>
              ))}
            </ul>
            <Checkbox
              label="Revoke these keys"
              hint="Programs that use them stop working."
              checked={revoke}
              onChange={(event) => setRevoke(event.target.checked)}
            />
          </>
        ) : null}
      </div>
    </Confirm>
  );
}
