"use client";

import { useState } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Operator } from "@/components/mails/ask-operator";
import { Button } from "@/components/ui/button";
import { useEndpoint } from "@/lib/client/hooks";
import { signInAddress } from "@/lib/client/return-address";
import { verifySecondFactor } from "@/lib/client/sign-in";
import { getInstall } from "@/lib/contract/operations";
import { Frame } from "./frame";
import { TextLink } from "./text-link";
import { useEntered } from "./use-entered";

const Code = z.object({ code: z.string().trim().min(1) });

export function TwoFactor({ next }: { next: string | null }) {
  const [kind, setKind] = useState<"app" | "recovery">("app");
  const entered = useEntered();
  const install = useEndpoint(getInstall, {});
  const form = useContractForm(Code, {
    defaults: { code: "" },
    guard: false,
    submit: ({ code }) => verifySecondFactor(code, kind),
    onSaved: () => entered(next),
  });
  const swap = () => {
    setKind(kind === "app" ? "recovery" : "app");
    form.reset({ code: "" });
  };
  return (
    <Frame
      title={kind === "app" ? "Enter the code" : "Enter a recovery code"}
      description={
        kind === "app"
          ? "The six digits your authenticator app shows for Kutip."
          : "One of those you kept when you set up the app. Each works once."
      }
      foot={<TextLink href={signInAddress(next)}>Start over</TextLink>}
    >
      <Form form={form} label="Second step">
        <TextField
          form={form}
          key={kind}
          name="code"
          label={kind === "app" ? "Code" : "Recovery code"}
          autoComplete="one-time-code"
          inputMode={kind === "app" ? "numeric" : "text"}
          className="[&_input]:text-lead [&_input]:tracking-[0.14em]"
        />
        <SubmitButton>Sign in</SubmitButton>
      </Form>
      <Button variant="ghost" className="mt-2 w-full" onClick={swap}>
        {kind === "app" ? "Use a recovery code" : "Use the app"}
      </Button>
      <p className="mt-4 text-fine text-muted">
        Lost both? Another owner of your business can reset your second factor under Settings, Team.
        If you are the only owner, or belong to several businesses, ask{" "}
        <Operator contacts={install.data?.operator_contacts ?? []} />.
      </p>
    </Frame>
  );
}
