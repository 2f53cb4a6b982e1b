"use client";

import * as z from "zod";
import { NewPasswordField } from "@/components/auth/new-password-field";
import { Form, SubmitButton } from "@/components/form/form";
import { PasswordField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Card } from "@/components/ui/card";
import { changePassword } from "@/lib/client/account";
import { notify } from "@/lib/client/notices";
import { Password } from "@/lib/contract/password";
import { useAccountRefresh } from "./use-account";

const NewPassword = z.object({
  password: z.string().min(1),
  new_password: Password,
});
const blank = { password: "", new_password: "" };

/** Changing the password. */
export function PasswordCard({ email }: { email: string }) {
  const refresh = useAccountRefresh();
  const form = useContractForm(NewPassword, {
    defaults: blank,
    submit: (values) => changePassword(values.password, values.new_password),
    spent: blank,
    onSaved: () => {
      refresh();
      notify({
        title: "Your password is changed",
        description: "You are signed out everywhere else.",
        tone: "good",
      });
    },
  });
  return (
    <Card title="Password">
      <Form form={form} label="Change password" className="max-w-md">
        {/* Tells password managers which account this password belongs to. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField form={form} name="password" label="Current password" />
        <NewPasswordField form={form} name="new_password" label="New password" />
        <SubmitButton variant="quiet" className="justify-self-start">
          Change password
        </SubmitButton>
      </Form>
    </Card>
  );
}
