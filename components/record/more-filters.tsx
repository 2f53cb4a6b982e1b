"use client";

import { ListFilter } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { type Chip, FilterChips } from "@/components/ui/filter-bar";
import { later } from "@/lib/client/later";
import { currencyCodes } from "@/lib/kernel/currencies";
import { displayAmount } from "@/lib/kernel/money";
import type { Choices, MoreFiltersProps, Values } from "./more-filters-fields";

const Fields = later(() => import("./more-filters-fields").then((module) => module.Fields));

/** The less common filters, in a dialog. Each filter that is set appears below and can be removed there. Amounts are in major units. */
export function MoreFilters({ values, set, choices = {}, texts, chips = [] }: MoreFiltersProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)} className="font-normal" aria-haspopup="dialog">
        <ListFilter aria-hidden="true" className="size-4 text-muted" />
        More filters
      </Button>
      <FilterChips
        chips={[...chips, ...chipsOf(values, choices, texts)]}
        values={values}
        set={set}
      />
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
