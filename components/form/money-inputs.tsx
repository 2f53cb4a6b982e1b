"use client";

import { useEffect, useRef, useState } from "react";
import { Controller } from "react-hook-form";
import { Field, Input } from "@/components/ui/fields";
import { currencyChoices, leadingChoices } from "@/lib/client/currency-choices";
import { amountProblem, minorFrom } from "@/lib/client/amounts";
import { limits } from "@/lib/contract/values";
import { decimalAmount, displayAmount } from "@/lib/kernel/money";
import { inMoneyWords } from "./error-words";
import { ChoiceField } from "./choice-field";
import { type Own, useField, useFieldValue } from "./use-field";

/** Every currency the contract takes; those of `first` lead the list. */
export function CurrencyField<Name extends string>({
  label = "Currency",
  first = [],
  ...rest
}: Omit<Own<Name>, "label"> & { label?: string; first?: readonly string[] }) {
  return (
    <ChoiceField
      {...rest}
      {...leadingChoices(currencyChoices(), first)}
      label={label}
      placeholder="Code, name or country"
    />
  );
}

type AmountFieldProps<Name extends string> = Own<Name> &
  /** The field that holds the currency, or the currency itself. */
  ({ currency: Name; code?: undefined } | { currency?: undefined; code: string });

/** An amount as people write it ("12.50"); the form's value is minor units. */
export function AmountField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
  currency,
  code: fixed,
}: AmountFieldProps<Name>) {
  const { error, optional, control } = useField(form, name, label);
  const chosen = useFieldValue(form, currency ?? name);
  const code = fixed ?? String(chosen ?? "");
  const range = code
    ? `From ${displayAmount(limits.amountMin, code)} to ${displayAmount(limits.amountMax, code)}.`
    : undefined;
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Field
          label={label}
          hint={hint ?? range}
          error={error && (unreadable(field.value, code) ?? inMoneyWords(error, code))}
          optional={optional}
          required={!optional}
          className={className}
        >
          <AmountInput
            value={field.value}
            currency={code}
            onChange={field.onChange}
            onBlur={field.onBlur}
          />
        </Field>
      )}
    />
  );
}

// What is no amount is sent as it is written, and the API would speak of its type.
const unreadable = (value: unknown, currency: string) =>
  typeof value === "string" && value.trim() !== ""
    ? amountProblem(value, currency, "decimal")
    : undefined;

type AmountInputProps = {
  value: unknown;
  currency: string;
  onChange: (value: unknown) => void;
  onBlur: () => void;
};

function AmountInput({ value, currency, onChange, onBlur }: AmountInputProps) {
  const shown = typeof value === "number" && currency ? decimalAmount(value, currency) : "";
  const [text, setText] = useState(shown);
  const last = useRef(currency);
  // 12 stays 12 when the currency changes: what was written is read again in the new one's digits.
  useEffect(() => {
    if (last.current === currency) return;
    const before = last.current ? minorFrom(text, last.current) : undefined;
    // "1.250" was 1.250 dinars, and is no 1250 yen.
    const point =
      before !== undefined && decimalAmount(before, last.current) === text ? "decimal" : "any";
    last.current = currency;
    if (text !== "") onChange(minorFrom(text, currency, point) ?? text);
  }, [currency, text, onChange]);
  const write = (next: string) => {
    setText(next);
    onChange(next.trim() === "" ? "" : (minorFrom(next, currency) ?? next));
  };
  const tidy = () => {
    if (shown) setText(shown);
    onBlur();
  };
  return (
    <span className="relative block">
      <Input
        value={text}
        onChange={(event) => write(event.target.value)}
        onBlur={tidy}
        inputMode="decimal"
        autoComplete="off"
        className="pr-14 font-medium"
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-fine text-muted"
      >
        {currency}
      </span>
    </span>
  );
}
