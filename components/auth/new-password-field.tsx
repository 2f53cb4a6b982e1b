"use client";

import type { ComponentProps } from "react";
import { TextField } from "@/components/form/inputs";
import { passwordLength } from "@/lib/contract/values";

const hint = `At least ${passwordLength.min} characters. A few words make a good one; common ones are refused.`;

type Given<Name extends string> = Pick<ComponentProps<typeof TextField<Name>>, "form" | "name">;

/** A password that is chosen now. */
export function NewPasswordField<Name extends string>({
  label = "Password",
  ...field
}: Given<Name> & { label?: string }) {
  return (
    <TextField {...field} label={label} hint={hint} type="password" autoComplete="new-password" />
  );
}
