"use client";

import { useState } from "react";
import { Combobox } from "@/components/ui/combobox";
import { Button } from "@/components/ui/button";
import type { Chip } from "@/components/ui/filter-bar";
import { Field, Input, type Option, Select } from "@/components/ui/fields";
import { currencyChoices } from "@/lib/client/currency-choices";
import { amountProblem, minorFrom } from "@/lib/client/amounts";
import { currencyCodes } from "@/lib/kernel/currencies";
import { decimalAmount } from "@/lib/kernel/money";

export type MoneyFilter = "currency" | "amount_min" | "amount_max";
export type Values = { [K in MoneyFilter]: string } & Record<string, string>;
export type Choices = Record<string, { label: string; options: readonly Option[] }>;
export type MoreFiltersProps = {
  values: Values;
  set: (values: Record<string, string>) => void;
  choices?: Choices;
  /** Filters by exactly one text, with their labels. */
  texts: Readonly<Record<string, string>>;
  /** Filters that pages lead to: they can be removed here, and not be set. */
  chips?: readonly Chip[];
};

/** The fields of the dialog "More filters". */
export function Fields({
  values,
  choices,
  texts,
  apply,
}: Pick<MoreFiltersProps, "values" | "texts"> & {
  choices: Choices;
  apply: (next: Record<string, string>) => void;
}) {
  const [currency, setCurrency] = useState(values.currency);
  const [wrong, setWrong] = useState<{ amount_min?: string; amount_max?: string }>({});
  const written = (name: "amount_min" | "amount_max") =>
    values[name] && currencyCodes.includes(values.currency)
      ? decimalAmount(Number(values[name]), values.currency)
      : "";

  const submit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const next: Record<string, string> = { currency };
    for (const name of [...Object.keys(choices), ...Object.keys(texts)]) next[name] = text(name);
    const problems: typeof wrong = {};
    for (const name of ["amount_min", "amount_max"] as const) {
      const minor = text(name) === "" ? "" : minorFrom(text(name), currency);
      if (minor === undefined) problems[name] = amountProblem(text(name), currency);
      next[name] = String(minor ?? "");
    }
    setWrong(problems);
    if (Object.keys(problems).length === 0) apply(next);
  };

  return (
    <form onSubmit={submit} noValidate className="grid gap-4 sm:grid-cols-2">
      {Object.entries(choices).map(([name, { label, options }]) => (
        <Field key={name} label={label}>
          <Select name={name} defaultValue={values[name]}>
            <option value="">Any</option>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </Select>
        </Field>
      ))}
      {Object.entries(texts).map(([name, label]) => (
        <Field key={name} label={label} hint="Exactly this one.">
          <Input name={name} defaultValue={values[name]} autoComplete="off" spellCheck={false} />
        </Field>
      ))}
      <Field label="Currency" className="sm:col-span-2">
        <Combobox
          value={currency}
          onChange={setCurrency}
          choices={currencyChoices()}
          placeholder="Any"
        />
      </Field>
      <Field
        label="Amount from"
        hint={currency ? undefined : "Choose a currency first."}
        error={wrong.amount_min}
      >
        <Input
          name="amount_min"
          inputMode="decimal"
          autoComplete="off"
          disabled={!currency}
          defaultValue={written("amount_min")}
        />
      </Field>
      <Field
        label="Amount up to"
        hint={currency ? undefined : "Choose a currency first."}
        error={wrong.amount_max}
      >
        <Input
          name="amount_max"
          inputMode="decimal"
          autoComplete="off"
          disabled={!currency}
          defaultValue={written("amount_max")}
        />
      </Field>
      <Button type="submit" variant="primary" className="sm:col-span-2">
        Show results
      </Button>
    </form>
  );
}
