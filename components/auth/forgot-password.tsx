"use client";

import { useState } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { EmailField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { requestPasswordReset } from "@/lib/client/sign-in";
import { Email } from "@/lib/contract/fields";
import { Frame } from "./frame";
import { TextLink } from "./text-link";

const Address = z.object({ email: Email });
const back = <TextLink href="/sign-in">Back to signing in</TextLink>;

export function ForgotPassword() {
  const [sent, setSent] = useState<string | null>(null);
  const form = useContractForm(Address, {
    defaults: { email: "" },
    guard: false,
    submit: async ({ email }) => {
      await requestPasswordReset(email);
      return email;
    },
    onSaved: setSent,
  });
  if (sent) {
    return (
      <Frame title="Check your e-mail" foot={back}>
        <p role="status" className="text-note">
          If an account uses <strong className="font-semibold">{sent}</strong>, a mail with a link
          to choose a new password is on its way.
        </p>
      </Frame>
    );
  }
  return (
    <Frame
      title="Forgot your password?"
      description="We send a link to choose a new one."
      foot={back}
    >
      <Form form={form} label="Forgotten password">
        <EmailField form={form} name="email" autoComplete="username" />
        <SubmitButton>Send the link</SubmitButton>
      </Form>
    </Frame>
  );
}
