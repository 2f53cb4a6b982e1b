"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { RadioGroup } from "@/components/ui/fields";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMembership } from "@/lib/client/use-me";
import type { Role } from "@/lib/contract/values";
import { changeMember, getMe } from "@/lib/contract/operations";
import type { Member } from "@/lib/contract/team";
import { roleLabel, rolesFor } from "./roles";

/** Gives a member another role; open while `member` is given. */
export function RoleDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  return (
    <Dialog
      title={`Role of ${member?.name ?? ""}`}
      description="Takes effect immediately."
      open={member !== null}
      onOpenChange={(open) => !open && onClose()}
    >
      {member ? <Choice member={member} onClose={onClose} /> : null}
    </Dialog>
  );
}

function Choice({ member, onClose }: { member: Member; onClose: () => void }) {
  const { role: own } = useMembership();
  const [role, setRole] = useState<Role>(member.role);
  const change = useAction(changeMember, {
    invalidates: [getMe],
    onSuccess: (changed) => {
      notify({
        title: `${changed.name} is ${roleLabel(changed.role).toLowerCase()} now`,
        tone: "good",
      });
      onClose();
    },
  });
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (!change.busy) change.run({ params: { member_id: member._id }, body: { role } });
  };
  return (
    <form onSubmit={submit} className="grid gap-5">
      <RadioGroup
        legend="Role"
        name="role"
        options={rolesFor(own)}
        value={role}
        onChange={(event) => setRole(event.target.value as Role)}
      />
      <Button type="submit" variant="primary" busy={change.busy} className="justify-self-start">
        Change role
      </Button>
    </form>
  );
}
