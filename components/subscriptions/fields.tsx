"use client";

import type { ReactNode } from "react";
import { EmailField, PhoneField } from "@/components/form/inputs";
import type { ContractForm, FieldName } from "@/components/form/use-contract-form";
import type { SubscriptionUpdate } from "@/lib/contract/subscriptions";

/** The fields of a subscription that can be edited. */
export type EditedName = Exclude<FieldName<typeof SubscriptionUpdate>, "status" | "version">;

/** The inputs of the fields that can be edited. */
export const editedInputs = (
  form: ContractForm<EditedName>,
  emailHint: string,
): Record<EditedName, ReactNode> => ({
  email: <EmailField form={form} name="email" hint={emailHint} />,
  phone_no: <PhoneField form={form} name="phone_no" />,
});
