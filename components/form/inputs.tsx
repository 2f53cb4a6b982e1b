"use client";

import { type ComponentProps, type ReactNode, use, useEffect, useRef, useState } from "react";
import { Controller, useFormContext, useWatch } from "react-hook-form";
import * as z from "zod";
import {
  Checkbox,
  Field,
  Input,
  type Option,
  RadioGroup,
  Select,
  Switch,
  Textarea,
} from "@/components/ui/fields";
import { amountProblem, minorFrom } from "@/lib/client/amounts";
import { momentOf } from "@/lib/client/times";
import { limits } from "@/lib/contract/values";
import { currencyCodes } from "@/lib/kernel/currencies";
import { decimalAmount, displayAmount } from "@/lib/kernel/money";
import { FormSchema } from "./form";

type Own = { name: string; label: string; hint?: ReactNode; className?: string };

/** What a field needs from its form. A name the schema does not have is a mistake of ours. */
function useField(name: string) {
  const { register, formState, control } = useFormContext();
  const shape: Record<string, unknown> | undefined = use(FormSchema)?.schema.shape;
  if (!shape || !(name in shape)) throw new Error(`the form's schema has no field ${name}`);
  const message = formState.errors[name]?.message;
  return {
    register,
    control,
    error: typeof message === "string" ? message : undefined,
    optional: shape[name] instanceof z.ZodOptional,
  };
}

/** One line of text. */
export function TextField({
  name,
  label,
  hint,
  className,
  ...rest
}: Own & ComponentProps<"input">) {
  const { register, error, optional } = useField(name);
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      optional={optional}
      required={!optional}
      className={className}
    >
      <Input {...rest} {...register(name)} />
    </Field>
  );
}

/** Several lines of text. */
export function TextAreaField({
  name,
  label,
  hint,
  className,
  ...rest
}: Own & ComponentProps<"textarea">) {
  const { register, error, optional } = useField(name);
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      optional={optional}
      required={!optional}
      className={className}
    >
      <Textarea {...rest} {...register(name)} />
    </Field>
  );
}

/** One of several, from a list. `none` is the entry for no choice. */
export function SelectField({
  name,
  label,
  hint,
  className,
  options,
  none,
  ...rest
}: Own & { options: readonly Option[]; none?: string } & ComponentProps<"select">) {
  const { register, error, optional } = useField(name);
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      optional={optional}
      required={!optional}
      className={className}
    >
      <Select {...rest} {...register(name)}>
        {none === undefined ? null : <option value="">{none}</option>}
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  );
}

/** One of a few, all in sight. */
export function RadioField({
  name,
  label,
  options,
  className,
}: Own & { options: readonly (Option & { hint?: string })[] }) {
  const { control } = useField(name);
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <RadioGroup
          legend={label}
          name={name}
          options={options}
          value={field.value}
          onChange={(event) => field.onChange(event.target.value)}
          className={className}
        />
      )}
    />
  );
}

/** Yes or no, sent with the form. */
export function CheckboxField({ name, label, hint, className }: Own) {
  const { register } = useField(name);
  return <Checkbox label={label} hint={hint} className={className} {...register(name)} />;
}

/** On or off, sent with the form. */
export function SwitchField({ name, label, hint, className }: Own) {
  const { register } = useField(name);
  return <Switch label={label} hint={hint} className={className} {...register(name)} />;
}

const names =
  typeof Intl.DisplayNames === "function"
    ? new Intl.DisplayNames("en", { type: "currency" })
    : undefined;
const currencies: readonly Option[] = [...currencyCodes].map((code) => ({
  value: code,
  label: names ? `${code} – ${names.of(code)}` : code,
}));

/** Every currency the contract takes. */
export function CurrencyField({ label = "Currency", ...rest }: Partial<Own> & { name: string }) {
  return <SelectField {...rest} label={label} options={currencies} none="Choose a currency" />;
}

type AmountFieldProps = Own & {
  /** The field that holds the currency, or with `code` the currency itself. */
  currency?: string;
  code?: string;
};

/** An amount as people write it ("12.50"); the form's value is minor units. */
export function AmountField({
  name,
  label,
  hint,
  className,
  currency = "currency",
  code: fixed,
}: AmountFieldProps) {
  const { error, optional, control } = useField(name);
  const chosen = useWatch({ control, name: currency });
  const code = fixed ?? String(chosen ?? "");
  const range = code
    ? `From ${displayAmount(limits.amountMin, code)} to ${displayAmount(limits.amountMax, code)}.`
    : undefined;
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        // What is no amount is sent as it is written, and the API would speak of its minor units.
        <Field
          label={label}
          hint={hint ?? range}
          error={
            error && typeof field.value === "string" && field.value.trim() !== ""
              ? (amountProblem(field.value, code) ?? error)
              : error
          }
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
    last.current = currency;
    if (text !== "") onChange(minorFrom(text, currency) ?? text);
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

/** A moment in the viewer's zone; the form's value is ISO 8601 in UTC. */
export function MomentField({ name, label, hint, className }: Own) {
  const { error, optional, control } = useField(name);
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Field
          label={label}
          hint={hint}
          error={error}
          optional={optional}
          required={!optional}
          className={className}
        >
          <MomentInput value={field.value} onChange={field.onChange} onBlur={field.onBlur} />
        </Field>
      )}
    />
  );
}

// A date without its time has no value, as if nothing were written: the contract refuses this in its place.
const unfinished = "unfinished";

/** What is written in the field: ISO 8601 in UTC, or a text that the contract refuses. */
function momentIn({ value, validity }: HTMLInputElement): string {
  if (value === "") return validity.badInput ? unfinished : "";
  return momentOf(value);
}

function MomentInput({
  value,
  onChange,
  onBlur,
}: {
  value: unknown;
  onChange: (value: string) => void;
  onBlur: () => void;
}) {
  const [begin] = useState(() => localMoment(value));
  // Browsers tell of no change while the field is half written.
  const settle = (input: HTMLInputElement) => {
    const written = momentIn(input);
    if ((written === unfinished) !== (value === unfinished)) onChange(written);
  };
  const leave = (input: HTMLInputElement) => {
    settle(input);
    onBlur();
  };
  return (
    <Input
      type="datetime-local"
      max="9999-12-31T23:59"
      defaultValue={begin}
      onChange={(event) => onChange(momentIn(event.target))}
      onKeyUp={(event) => settle(event.currentTarget)}
      onBlur={(event) => leave(event.target)}
    />
  );
}

/** `YYYY-MM-DDTHH:MM` of a moment in the viewer's zone. */
function localMoment(iso: unknown): string {
  if (typeof iso !== "string" || iso === "") return "";
  const moment = new Date(iso);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, 16);
}
