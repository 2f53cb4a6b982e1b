"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { type GatewayConnection, GatewayConnectionInput } from "@/lib/contract/gateway-connections";
import { updateGatewayConnection } from "@/lib/contract/operations";

type ReplaceKeyProps = {
  connection: GatewayConnection;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** Another key of the same account, for when the old one was rolled or has leaked. */
export function ReplaceKey({ connection, open, onOpenChange }: ReplaceKeyProps) {
  return (
    <Dialog
      title="Replace the secret key"
      description={`Use another key of ${connection.account_name ?? connection.account}. The old key is deleted.`}
      open={open}
      onOpenChange={onOpenChange}
    >
      <Fields connection={connection} onSaved={() => onOpenChange(false)} />
    </Dialog>
  );
}

const KeyAlone = GatewayConnectionInput.pick({ secret_key: true });

function Fields({ connection, onSaved }: { connection: GatewayConnection; onSaved: () => void }) {
  const replace = useAction(updateGatewayConnection, { onProblem: () => undefined });
  const form = useContractForm(KeyAlone, {
    defaults: { secret_key: "" },
    guard: false,
    submit: (body) => replace.runAsync({ params: { connection_id: connection._id }, body }),
    onSaved: () => {
      notify({ title: "The key is replaced", tone: "good" });
      onSaved();
    },
  });
  return (
    <Form form={form} label="Replace the secret key">
      <TextField
        form={form}
        name="secret_key"
        label="New secret key"
        autoComplete="off"
        spellCheck={false}
      />
      <SubmitButton className="justify-self-start">Check and replace</SubmitButton>
    </Form>
  );
}
