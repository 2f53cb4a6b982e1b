"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { useContractForm } from "@/components/form/use-contract-form";
import { LinkButton } from "@/components/ui/link-button";
import { notify } from "@/lib/client/notices";
import { resetPassword } from "@/lib/client/sign-in";
import { useHashToken } from "@/lib/client/use-hash-token";
import { Password } from "@/lib/contract/password";
import { Frame } from "./frame";
import { isGone } from "./gone";
import { NewPasswordField } from "./new-password-field";

const NewPassword = z.object({ password: Password });

export function ResetPassword() {
  const token = useHashToken();
  const router = useRouter();
  const [gone, setGone] = useState<string | null>(null);
  const form = useContractForm(NewPassword, {
    defaults: { password: "" },
    guard: false,
    submit: async ({ password }) => {
      try {
        await resetPassword(token ?? "", password);
      } catch (error) {
        // A 422 is about the password.
        if (isGone(error) && error.status !== 422) setGone(token ?? null);
        throw error;
      }
    },
    onSaved: () => {
      notify({
        title: "Your password is changed",
        description: "Sign in with the new one.",
        tone: "good",
      });
      router.replace("/sign-in");
    },
  });
  if (token === null || token === gone) {
    return (
      <Frame
        title="This link does not work"
        description="The link may be incomplete, already used or expired."
      >
        <LinkButton href="/forgot-password" variant="primary">
          Send a new one
        </LinkButton>
      </Frame>
    );
  }
  return (
    <Frame title="Choose a new password" description="You are signed out everywhere else.">
      <Form form={form} label="New password">
        <NewPasswordField form={form} name="password" label="New password" />
        <SubmitButton>Change password</SubmitButton>
      </Form>
    </Frame>
  );
}
