"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { SelectField, TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { CodeBlock } from "@/components/ui/code-block";
import { Dialog } from "@/components/ui/dialog";
import { ShownOnce } from "@/components/ui/shown-once";
import { useAction } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { IntegrationInput, type IntegrationWithPassword } from "@/lib/contract/integrations";
import { createIntegration } from "@/lib/contract/operations";
import { connectAgain, lacksKeys, pluginOptions } from "./words";

type ConnectProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onMade: (made: IntegrationWithPassword) => void;
};

/** Asks which plugin to connect, and under which name. */
export function ConnectPlugin({ open, onOpenChange, onMade }: ConnectProps) {
  const { mode } = useScope();
  return (
    <Dialog
      title={`Connect a shop plugin in ${mode} mode`}
      description="Connect each plugin of each shop separately: they delete each other’s webhooks."
      open={open}
      onOpenChange={onOpenChange}
    >
      <Fields onMade={onMade} />
    </Dialog>
  );
}

function Fields({ onMade }: Pick<ConnectProps, "onMade">) {
  const create = useAction(createIntegration, { onProblem: () => undefined });
  const form = useContractForm(IntegrationInput, {
    defaults: { name: "", plugin: "woocommerce" },
    submit: (body) => create.runAsync({ body }),
    onSaved: onMade,
  });
  return (
    <Form form={form} label="New shop plugin">
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="The shop that uses it, such as “Web shop”."
        autoComplete="off"
      />
      <SelectField form={form} name="plugin" label="Plugin" options={pluginOptions} />
      <SubmitButton className="justify-self-start">Connect</SubmitButton>
    </Form>
  );
}

/** Shows the password that was just made, this once; open while `made` is given. */
export function NewPassword({
  made,
  onClose,
}: {
  made: IntegrationWithPassword | null;
  onClose: () => void;
}) {
  return (
    <ShownOnce
      title="The password for the plugin"
      description={`Copy it now. Paste it where the plugin asks you to sign in, with any e-mail address.${made && lacksKeys(made) ? ` ${connectAgain}` : ""}`}
      warning="Kutip keeps no copy of the password. If it is lost, make a new one."
      open={made !== null}
      onClose={onClose}
    >
      {made ? <CodeBlock code={made.password} label="Password" copyLabel="Copy password" /> : null}
    </ShownOnce>
  );
}
