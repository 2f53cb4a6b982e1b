"use client";

import type { ReactNode } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { PasswordField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";

const Present = z.object({ password: z.string().min(1) });

type AskPasswordProps<Answer> = {
  submit: (password: string) => Promise<Answer>;
  onDone: (answer: Answer) => void;
  children: ReactNode;
  danger?: boolean;
};

/** Asks for the password before a change of sign-in methods; `children` is the button's text. */
export function AskPassword<Answer>({
  submit,
  onDone,
  children,
  danger = false,
}: AskPasswordProps<Answer>) {
  const form = useContractForm(Present, {
    defaults: { password: "" },
    guard: false,
    submit: ({ password }) => submit(password),
    onSaved: onDone,
  });
  return (
    <Form form={form} label="Your password">
      <PasswordField form={form} name="password" />
      <SubmitButton variant={danger ? "destroy" : "primary"} className="justify-self-start">
        {children}
      </SubmitButton>
    </Form>
  );
}
