"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { EmailField, RadioField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMe, useMembership } from "@/lib/client/use-me";
import { createInvitation } from "@/lib/contract/operations";
import { InvitationInput } from "@/lib/contract/team";
import { rolesFor } from "./roles";

/** Invites a person by e-mail. */
export function Invite({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const mailed = useMe().data?.sends_mail !== false;
  return (
    <Dialog
      title="Invite a teammate"
      description={
        mailed
          ? "They get a mail with a link that works for seven days."
          : "This install sends no mail: copy the invitation link afterwards. It works for seven days."
      }
      open={open}
      onOpenChange={onOpenChange}
    >
      <Fields onSent={() => onOpenChange(false)} />
    </Dialog>
  );
}

function Fields({ onSent }: { onSent: () => void }) {
  const { role } = useMembership();
  const mailed = useMe().data?.sends_mail !== false;
  const invite = useAction(createInvitation, { onProblem: () => undefined });
  const form = useContractForm(InvitationInput, {
    defaults: { email: "", role: "staff" },
    submit: (body) => invite.runAsync({ body }),
    onSaved: ({ email, mail_status: mail }) => {
      notify(
        mailed && mail !== null
          ? {
              title: "Invitation sent",
              description: `A mail to ${email} is on its way.`,
              tone: "good",
            }
          : {
              title: "Invitation created, not mailed",
              description: `${mailed ? "This address has had 10 invitations today." : "There is no mail server."} Copy the link from the menu of ${email} and hand it over yourself.`,
              tone: "good",
            },
      );
      onSent();
    },
  });
  return (
    <Form form={form} label="Invitation">
      <EmailField form={form} name="email" />
      <RadioField form={form} name="role" label="Role" options={rolesFor(role)} />
      <SubmitButton className="justify-self-start">
        {mailed ? "Send invitation" : "Create invitation"}
      </SubmitButton>
    </Form>
  );
}
