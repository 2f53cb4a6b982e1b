"use client";

import { Confirm } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import {
  getMe,
  listApiKeys,
  listIntegrations,
  listInvitations,
  listWebhookEndpoints,
  removeMember,
} from "@/lib/contract/operations";
import type { Member } from "@/lib/contract/team";
import { afterWords, HeldKeys, useHeldKeys } from "./held-keys";
import { endingWords, manages } from "./roles";

/** Removes a member, or oneself, and offers to end what they can use without their session. */
export function RemoveMember({
  member,
  own,
  onClose,
}: {
  member: Member;
  own: boolean;
  onClose: () => void;
}) {
  const held = useHeldKeys(member, own);
  const remove = useAction(removeMember, {
    invalidates: [getMe, listInvitations, listApiKeys, listIntegrations, listWebhookEndpoints],
    onSuccess: ({ name }) => {
      held.forget();
      onClose();
      notify({
        title: `${name} is no longer in the team`,
        description: afterWords(held),
        tone: "good",
      });
    },
  });
  return (
    <Confirm
      title={own ? "Leave this business?" : `Remove ${member.name}?`}
      confirm={own ? "Leave" : "Remove member"}
      cancel="Keep"
      busy={remove.busy || held.isPending}
      disabled={held.error !== null}
      open
      onOpenChange={(open) => !open && onClose()}
      onConfirm={() => remove.run({ params: { member_id: member._id }, query: held.query })}
    >
      <div className="grid gap-3">
        <p>
          {own ? "You lose" : `${member.email} loses`} access to this business immediately.
          {manages(member.role) ? ` ${endingWords(member.role, own)}` : null}
        </p>
        <HeldKeys held={held} member={member} />
      </div>
    </Confirm>
  );
}
