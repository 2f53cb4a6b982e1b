"use client";

import { CurrencyField } from "@/components/form/money-inputs";
import type { ContractForm } from "@/components/form/use-contract-form";

/** The currency that forms of a new business begin with. */
export function DefaultCurrency({ form }: { form: ContractForm<"default_currency"> }) {
  return <CurrencyField form={form} name="default_currency" label="Default currency" />;
}
