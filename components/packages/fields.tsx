"use client";

import type { ContractForm } from "@/components/form/use-contract-form";
import { SelectField, TextAreaField, TextField } from "@/components/form/inputs";
import { AmountField, CurrencyField } from "@/components/form/money-inputs";
import { Card } from "@/components/ui/card";
import { limits } from "@/lib/contract/values";
import { frequencyOptions } from "./words";

type Terms = "amount" | "currency" | "frequency" | "date_charge_start";

/** What a package is called. */
export function NameFields({ form }: { form: ContractForm<"name" | "description"> }) {
  return (
    <Card title="What it is">
      <div className="grid gap-4">
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="For you and the subscriber."
          maxLength={limits.packageName}
          autoComplete="off"
        />
        <TextAreaField form={form} name="description" label="Description" />
      </div>
    </Card>
  );
}

/** What subscribers agree to. */
export function TermsFields({ form }: { form: ContractForm<Terms> }) {
  return (
    <Card title="What is charged" description="Fixed once the package has a subscriber.">
      <div className="grid gap-4 sm:grid-cols-2">
        <AmountField form={form} currency="currency" name="amount" label="Amount" />
        <CurrencyField form={form} name="currency" />
        <SelectField form={form} name="frequency" label="How often" options={frequencyOptions} />
        <TextField
          form={form}
          name="date_charge_start"
          label="Billing starts on"
          type="date"
          hint="Who has subscribed by then starts on this day; who subscribes later, on the day they do."
        />
      </div>
    </Card>
  );
}
