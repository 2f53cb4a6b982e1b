"use client";

import { useState } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { PasswordField, TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Button } from "@/components/ui/button";
import { DialogPopup } from "@/components/ui/dialog-parts";
import { call } from "@/lib/client/call";
import { canUsePasskeys, passkeyAnswer } from "@/lib/client/passkeys";
import { problemText } from "@/lib/client/problem";
import { useMe } from "@/lib/client/use-me";
import { reauthenticate } from "@/lib/contract/operations";

const code = z.string().trim().min(1);
const Proof = z.object({
  password: z.string().min(1),
  code: code.optional(),
  recovery_code: code.optional(),
});
const WithCode = Proof.extend({ code });
const WithRecovery = Proof.extend({ recovery_code: code });

type ProofProps = { open: boolean; onClose: (confirmed: boolean) => void };

/** Asks for the password and second factor, or a passkey, before a sensitive call. */
export function ProofDialog({ open, onClose }: ProofProps) {
  return (
    <DialogPopup
      title="Confirm that it’s you"
      description="You signed in more than 10 minutes ago. Confirm who you are to continue."
      focusField
      open={open}
      onOpenChange={(next) => !next && onClose(false)}
    >
      <Questions onConfirmed={() => onClose(true)} />
    </DialogPopup>
  );
}

function Questions({ onConfirmed }: { onConfirmed: () => void }) {
  const { data } = useMe();
  const [recovery, setRecovery] = useState(false);
  const second = data?.user.two_factor_enabled ?? false;
  const schema = second ? (recovery ? WithRecovery : WithCode) : Proof;
  return (
    <div className="grid gap-4">
      <ProofForm
        key={`${second} ${recovery}`}
        schema={schema}
        second={second}
        recovery={recovery}
        onConfirmed={onConfirmed}
      />
      {second ? (
        <Button variant="ghost" onClick={() => setRecovery(!recovery)}>
          {recovery ? "Use the authenticator app" : "Use a recovery code"}
        </Button>
      ) : null}
      {canUsePasskeys() ? <ByPasskey onConfirmed={onConfirmed} /> : null}
    </div>
  );
}

type ProofFormProps = {
  schema: typeof Proof | typeof WithCode | typeof WithRecovery;
  second: boolean;
  recovery: boolean;
  onConfirmed: () => void;
};

function ProofForm({ schema, second, recovery, onConfirmed }: ProofFormProps) {
  const form = useContractForm(schema, {
    defaults: { password: "", code: "", recovery_code: "" },
    guard: false,
    submit: (values) => call(reauthenticate, { body: values }, { scope: null }),
    onSaved: onConfirmed,
  });
  return (
    <Form form={form} label="Confirm that it’s you">
      <PasswordField form={form} name="password" />
      {second ? (
        <TextField
          form={form}
          name={recovery ? "recovery_code" : "code"}
          label={recovery ? "Recovery code" : "Code from your authenticator app"}
          autoComplete="one-time-code"
          inputMode={recovery ? "text" : "numeric"}
        />
      ) : null}
      <SubmitButton className="justify-self-start">Confirm</SubmitButton>
    </Form>
  );
}

function ByPasskey({ onConfirmed }: { onConfirmed: () => void }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const confirm = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const passkey = await passkeyAnswer();
      if (!passkey) return;
      await call(reauthenticate, { body: { passkey } }, { scope: null });
      onConfirmed();
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="grid gap-2 border-t border-line pt-4">
      {problem ? (
        <p role="alert" className="font-medium text-bad">
          {problem}
        </p>
      ) : null}
      <Button busy={busy} onClick={() => void confirm()}>
        Use a passkey
      </Button>
    </div>
  );
}
