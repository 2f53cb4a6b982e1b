"use client";

import { Confirm } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMe } from "@/lib/client/use-me";
import { listMembers, resetSecondFactor } from "@/lib/contract/operations";
import type { Member } from "@/lib/contract/team";

/** Resets the second factor that another member lost. */
export function ResetSecondFactor({ member, onClose }: { member: Member; onClose: () => void }) {
  const mailed = useMe().data?.sends_mail !== false;
  const reset = useAction(resetSecondFactor, {
    invalidates: [listMembers],
    onSuccess: ({ name }) => {
      onClose();
      notify({
        title: `Second factor of ${name} reset`,
        description: "They sign in with their password and can set up a new one.",
        tone: "good",
      });
    },
  });
  return (
    <Confirm
      title={`Reset the second factor of ${member.name}?`}
      confirm="Reset second factor"
      cancel="Keep"
      busy={reset.busy}
      open
      onOpenChange={(open) => !open && onClose()}
      onConfirm={() => reset.run({ params: { member_id: member._id } })}
    >
      <p>
        Do this only when {member.name} asked you in person: a thief who knows their password would
        ask by mail. Authenticator app, recovery codes and passkeys go, and all their sessions end.{" "}
        {mailed
          ? `${member.email} gets a mail about it.`
          : "This install has no mail server, so let them know yourself."}
      </p>
    </Confirm>
  );
}
