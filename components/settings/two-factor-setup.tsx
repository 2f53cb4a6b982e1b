"use client";

import { useState } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { QrLater } from "@/components/record/qr-later";
import { CopyButton } from "@/components/ui/copy-button";
import { Dialog } from "@/components/ui/dialog";
import { type AuthenticatorOffer, beginTwoFactor, finishTwoFactor } from "@/lib/client/account";
import { AskPassword } from "./ask-password";

type SetupProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onDone: (recoveryCodes: string[]) => void;
};

/** Sets an authenticator app up: the password, the QR code, a code of the app. */
export function TwoFactorSetup({ open, onOpenChange, onDone }: SetupProps) {
  const [offer, setOffer] = useState<AuthenticatorOffer | null>(null);
  const change = (next: boolean) => {
    if (!next) setOffer(null);
    onOpenChange(next);
  };
  return (
    <Dialog
      title="Set up an authenticator app"
      description={
        offer
          ? "Scan the code with the app, then enter the code it shows."
          : "An app on your phone then shows a code for each sign-in."
      }
      open={open}
      onOpenChange={change}
    >
      {offer ? (
        <Scan
          offer={offer}
          onDone={() => {
            change(false);
            onDone(offer.backupCodes);
          }}
        />
      ) : (
        <AskPassword submit={beginTwoFactor} onDone={setOffer}>
          Continue
        </AskPassword>
      )}
    </Dialog>
  );
}

const Code = z.object({ code: z.string().trim().min(1) });

function Scan({ offer, onDone }: { offer: AuthenticatorOffer; onDone: () => void }) {
  const form = useContractForm(Code, {
    defaults: { code: "" },
    guard: false,
    submit: ({ code }) => finishTwoFactor(code),
    onSaved: onDone,
  });
  const secret = new URL(offer.totpURI).searchParams.get("secret") ?? "";
  return (
    <div className="grid gap-5">
      <QrLater
        text={offer.totpURI}
        alt="QR code for the authenticator app"
        className="mx-auto h-52 w-52 rounded-card p-1 ring-1 ring-line ring-inset"
      />
      <div className="text-center">
        <p className="text-muted">Can’t scan? Enter this in the app:</p>
        <p className="mt-1 flex items-center justify-center gap-1">
          <code className="font-mono text-fine">{secret}</code>
          <CopyButton icon text={secret} label="Copy the secret" />
        </p>
      </div>
      <Form form={form} label="Code of the app">
        <TextField
          form={form}
          name="code"
          label="Code"
          autoComplete="one-time-code"
          inputMode="numeric"
          className="[&_input]:text-lead [&_input]:tracking-[0.14em]"
        />
        <SubmitButton className="justify-self-start">Turn on</SubmitButton>
      </Form>
    </div>
  );
}
