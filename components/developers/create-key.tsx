"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { MomentField } from "@/components/form/moment-input";
import { useContractForm } from "@/components/form/use-contract-form";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { ApiKeyInput, type NewApiKey } from "@/lib/contract/api-keys";
import { createApiKey } from "@/lib/contract/operations";

type CreateKeyProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onMade: (key: NewApiKey) => void;
};

/** Asks for a key's name and, where wanted, its end. */
export function CreateKey({ open, onOpenChange, onMade }: CreateKeyProps) {
  const { mode } = useScope();
  return (
    <Dialog
      title={`New ${mode} key`}
      description="Give each program a key of its own, so that you can end one without the others."
      open={open}
      onOpenChange={onOpenChange}
    >
      <Fields onMade={onMade} />
    </Dialog>
  );
}

function Fields({ onMade }: Pick<CreateKeyProps, "onMade">) {
  const create = useAction(createApiKey, { onProblem: () => undefined });
  const form = useContractForm(ApiKeyInput, {
    defaults: { name: "", expires_at: "" },
    submit: (body) => create.runAsync({ body }),
    onSaved: onMade,
  });
  return (
    <Form form={form} label="New API key">
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="Where the key is used, such as “Web shop”."
        autoComplete="off"
      />
      <MomentField
        form={form}
        name="expires_at"
        label="Expires"
        hint="Without it the key works until it is revoked."
      />
      <SubmitButton className="justify-self-start">Create key</SubmitButton>
    </Form>
  );
}
