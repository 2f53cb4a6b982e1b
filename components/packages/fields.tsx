"use client";

import type { ReactNode } from "react";
import { FieldCards } from "@/components/form/field-cards";
import { SelectField, TextAreaField, TextField } from "@/components/form/inputs";
import { DayField } from "@/components/form/moment-input";
import { AmountField } from "@/components/form/money-inputs";
import { RecentCurrencyField } from "@/components/form/recent-currency-field";
import type { ContractForm, FieldName } from "@/components/form/use-contract-form";
import type { PackageInput } from "@/lib/contract/packages";
import { limits } from "@/lib/contract/values";
import { frequencyOptions } from "./words";

type Name = FieldName<typeof PackageInput>;
const LONGEST_TEXT = limits.description;

const cards = {
  what: { title: "What it is", narrow: true },
  terms: { title: "What is charged", description: "Fixed once the package has a subscriber." },
} as const;

const places: Record<Name, keyof typeof cards> = {
  name: "what",
  description: "what",
  amount: "terms",
  currency: "terms",
  frequency: "terms",
  date_charge_start: "terms",
};

/** What a subscriber agrees to. */
export const termNames = (Object.keys(places) as Name[]).filter((name) => places[name] === "terms");

/** The fields of a package; `only` leaves out what subscribers have agreed to. */
export function PackageFields({ form, only }: { form: ContractForm<Name>; only?: "what" }) {
  return <FieldCards cards={cards} places={places} inputs={inputsOf(form)} only={only} />;
}

const inputsOf = (form: ContractForm<Name>): Record<Name, ReactNode> => ({
  name: (
    <TextField
      form={form}
      name="name"
      label="Name"
      hint="For you and the subscriber."
      limit={limits.packageName}
      autoComplete="off"
    />
  ),
  description: (
    <TextAreaField form={form} name="description" label="Description" limit={LONGEST_TEXT} />
  ),
  amount: <AmountField form={form} currency="currency" name="amount" label="Amount" />,
  currency: <RecentCurrencyField form={form} name="currency" />,
  frequency: (
    <SelectField form={form} name="frequency" label="How often" options={frequencyOptions} />
  ),
  date_charge_start: (
    <DayField
      form={form}
      name="date_charge_start"
      label="Billing starts on"
      hint="Anyone subscribed by then starts on this day. Later subscribers start on the day they subscribe."
    />
  ),
});
