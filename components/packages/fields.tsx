"use client";

import { SelectField, TextAreaField, TextField } from "@/components/form/inputs";
import { AmountField, CurrencyField } from "@/components/form/money-inputs";
import { Card } from "@/components/ui/card";
import { limits } from "@/lib/contract/values";
import { frequencyOptions } from "./words";

/** What a package is called. */
export function NameFields() {
  return (
    <Card title="What it is">
      <div className="grid gap-4">
        <TextField
          name="name"
          label="Name"
          hint="For you and the subscriber."
          maxLength={limits.packageName}
          autoComplete="off"
        />
        <TextAreaField name="description" label="Description" />
      </div>
    </Card>
  );
}

/** What subscribers agree to. */
export function TermsFields() {
  return (
    <Card title="What is charged" description="Fixed as soon as somebody has subscribed.">
      <div className="grid gap-4 sm:grid-cols-2">
        <AmountField name="amount" label="Amount" />
        <CurrencyField name="currency" />
        <SelectField name="frequency" label="How often" options={frequencyOptions} />
        <TextField
          name="date_charge_start"
          label="Periods count from"
          type="date"
          hint="Who has subscribed by then starts on this day; who subscribes later, on the day they do."
        />
      </div>
    </Card>
  );
}
