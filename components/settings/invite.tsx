"use client";

import { useState } from "react";
import { Form, SubmitButton } from "@/components/form/form";
import { EmailField, RadioField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMe, useMembership } from "@/lib/client/use-me";
import { copyInvitationLink, createInvitation } from "@/lib/contract/operations";
import { InvitationInput } from "@/lib/contract/team";
import { InvitationLink } from "./invitation-link";
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
  const [link, setLink] = useState<string | null>(null);
  const copy = useAction(copyInvitationLink, { onSuccess: ({ url }) => setLink(url) });
  return (
    <>
      <Dialog
        title="Invite a teammate"
        description={
          mailed
            ? "They get a mail with a link that works for seven days."
            : "This install sends no mail: you get a link to hand over. It works for seven days."
        }
        open={open}
        onOpenChange={onOpenChange}
      >
        <Fields
          onSent={() => onOpenChange(false)}
          onUnsent={(id) => copy.run({ params: { invitation_id: id } })}
        />
      </Dialog>
      <InvitationLink link={link} onClose={() => setLink(null)} />
    </>
  );
}

function Fields({ onSent, onUnsent }: { onSent: () => void; onUnsent: (id: string) => void }) {
  const { role } = useMembership();
  const mailed = useMe().data?.sends_mail !== false;
  const invite = useAction(createInvitation, { onProblem: () => undefined });
  const form = useContractForm(InvitationInput, {
    defaults: { email: "", role: "staff" },
    submit: (body) => invite.runAsync({ body }),
    onSaved: ({ _id, email, mail_status: mail }) => {
      const goes = mailed && mail !== null;
      if (!goes) onUnsent(_id);
      notify(
        goes
          ? {
              title: "Invitation sent",
              description: `A mail to ${email} is on its way.`,
              tone: "good",
            }
          : {
              title: "Invitation created, not mailed",
              description: `${mailed ? "This address has had 10 invitations today." : "There is no mail server."} Give ${email} the link yourself.`,
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
