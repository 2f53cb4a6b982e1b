"use client";

import * as z from "zod";
import { useConfirmationMail } from "@/components/console/confirm-address";
import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { AskOperator } from "@/components/mails/ask-operator";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { PersonName } from "@/lib/contract/names";
import type { Me } from "@/lib/contract/me";
import { updateMe } from "@/lib/contract/operations";

const Profile = z.object({ name: PersonName });

/** The person's name, and whether their address is known to be theirs. */
export function ProfileCard({ me }: { me: Me }) {
  const { user } = me;
  const update = useAction(updateMe, { onProblem: () => undefined });
  const form = useContractForm(Profile, {
    defaults: { name: user.name },
    submit: (body) => update.runAsync({ body }),
    onSaved: () => notify({ title: "Your name is changed", tone: "good" }),
  });
  return (
    <Card title="You">
      <Form form={form} label="Your name" className="max-w-md">
        <TextField
          form={form}
          name="name"
          label="Name"
          autoComplete="name"
          hint="Your team sees it, in the audit log too."
        />
        <SubmitButton variant="quiet" className="justify-self-start">
          Save name
        </SubmitButton>
      </Form>
      <div className="mt-5 flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-4">
        <span className="min-w-0 font-medium">{user.email}</span>
        {user.email_verified ? <Badge tone="good">Confirmed</Badge> : <Unconfirmed me={me} />}
      </div>
    </Card>
  );
}

function Unconfirmed({ me: { user, sends_mail, operator_contacts } }: { me: Me }) {
  const { busy, send } = useConfirmationMail(user.email);
  return (
    <>
      <Badge tone="warn">Not confirmed</Badge>
      {sends_mail ? (
        <Button size="small" busy={busy} onClick={send}>
          Send the mail
        </Button>
      ) : (
        <p className="basis-full text-muted">
          <AskOperator contacts={operator_contacts} email={user.email}>
            It confirms the address and gives you a new password.
          </AskOperator>
        </p>
      )}
    </>
  );
}
