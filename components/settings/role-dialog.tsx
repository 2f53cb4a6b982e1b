"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { RadioField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMembership } from "@/lib/client/use-me";
import { changeMember, getMe } from "@/lib/contract/operations";
import { type Member, RoleInput } from "@/lib/contract/team";
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
  const change = useAction(changeMember, { invalidates: [getMe], onProblem: () => undefined });
  const form = useContractForm(RoleInput, {
    guard: false,
    defaults: { role: member.role },
    submit: (body) => change.runAsync({ params: { member_id: member._id }, body }),
    onSaved: ({ name, role }) => {
      notify({ title: `${name} is ${roleLabel(role).toLowerCase()} now`, tone: "good" });
      onClose();
    },
  });
  return (
    <Form form={form} label="Role" className="gap-5!">
      <RadioField form={form} name="role" label="Role" options={rolesFor(own)} />
      <SubmitButton className="justify-self-start">Change role</SubmitButton>
    </Form>
  );
}
