"use client";

import { useState } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { EmailField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { AskOperator } from "@/components/mails/ask-operator";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useEndpoint } from "@/lib/client/hooks";
import { signInAddress } from "@/lib/client/return-address";
import { requestPasswordReset } from "@/lib/client/sign-in";
import { AccountEmail } from "@/lib/contract/fields";
import { getInstall } from "@/lib/contract/operations";
import { Frame } from "./frame";
import { TextLink } from "./text-link";

const Address = z.object({ email: AccountEmail });

export function ForgotPassword({ next }: { next: string | null }) {
  const back = <TextLink href={signInAddress(next)}>Back to signing in</TextLink>;
  const install = useEndpoint(getInstall, {});
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
          If an account uses <strong className="font-semibold">{sent}</strong>, it gets a mail with
          a link to choose a new password, at most five an hour.
        </p>
      </Frame>
    );
  }
  if (install.isPending) {
    return (
      <Frame title="Forgot your password?" foot={back}>
        <Loading>
          <Skeleton className="h-9" />
        </Loading>
      </Frame>
    );
  }
  if (install.data?.sends_mail === false) {
    return (
      <Frame
        title="Forgot your password?"
        description={
          <AskOperator contacts={install.data.operator_contacts}>
            It gives you a new password.
          </AskOperator>
        }
        foot={back}
      />
    );
  }
  return (
    <Frame
      title="Forgot your password?"
      description={install.data && "We send a link to choose a new one."}
      foot={back}
    >
      <Form form={form} label="Forgotten password">
        <EmailField form={form} name="email" autoComplete="username" />
        <SubmitButton>Send the link</SubmitButton>
      </Form>
    </Frame>
  );
}
