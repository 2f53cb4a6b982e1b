"use client";

import { ListFilter, X } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field, Input, type Option, Select } from "@/components/ui/fields";
import { amountProblem, minorFrom } from "@/lib/client/amounts";
import { currencyCodes } from "@/lib/kernel/currencies";
import { decimalAmount, displayAmount } from "@/lib/kernel/money";

export type MoneyFilter = "currency" | "amount_min" | "amount_max";
type Values = { [K in MoneyFilter]: string } & Record<string, string>;
type Choices = Record<string, { label: string; options: readonly Option[] }>;
type MoreFiltersProps = {
  values: Values;
  set: (values: Record<string, string>) => void;
  choices?: Choices;
  /** Filters by exactly one text, with their labels. */
  texts: Readonly<Record<string, string>>;
};

/** The less common filters, in a dialog. Each filter that is set appears beside its button and can be removed there. Amounts are in major units. */
export function MoreFilters({ values, set, choices = {}, texts }: MoreFiltersProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)} className="font-normal" aria-haspopup="dialog">
        <ListFilter aria-hidden="true" className="size-4 text-muted" />
        More filters
      </Button>
      {chipsOf(values, choices, texts).map(({ names, text }) => (
        <Button
          key={text}
          size="small"
          aria-label={`Remove filter ${text}`}
          onClick={() => set(Object.fromEntries(names.map((name) => [name, ""])))}
        >
          {text}
          <X aria-hidden="true" className="size-3.5 text-muted" />
        </Button>
      ))}
      <Dialog title="More filters" open={open} onOpenChange={setOpen}>
        <Fields
          values={values}
          choices={choices}
          texts={texts}
          apply={(next) => {
            setOpen(false);
            set(next);
          }}
        />
      </Dialog>
    </>
  );
}

type Chip = { names: string[]; text: string };

function chipsOf(values: Values, choices: Choices, texts: MoreFiltersProps["texts"]): Chip[] {
  const { currency, amount_min: min, amount_max: max } = values;
  const shown = (minor: string) =>
    currencyCodes.includes(currency) ? displayAmount(Number(minor), currency) : minor;
  const chips: Chip[] = [];
  for (const [name, { label, options }] of Object.entries(choices)) {
    const chosen = options.find(({ value }) => value === values[name]);
    if (chosen) chips.push({ names: [name], text: `${label}: ${chosen.label}` });
  }
  if (currency)
    chips.push({ names: ["currency", "amount_min", "amount_max"], text: `Currency: ${currency}` });
  if (min) chips.push({ names: ["amount_min"], text: `From ${shown(min)}` });
  if (max) chips.push({ names: ["amount_max"], text: `Up to ${shown(max)}` });
  for (const [name, label] of Object.entries(texts))
    if (values[name]) chips.push({ names: [name], text: `${label}: ${values[name]}` });
  return chips;
}

function Fields({
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
        <Select value={currency} onChange={(event) => setCurrency(event.target.value)}>
          <option value="">Any</option>
          {currencyCodes.map((code) => (
            <option key={code}>{code}</option>
          ))}
        </Select>
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
