"use client";

import type { ComponentProps } from "react";
import { Controller } from "react-hook-form";
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
import { useInBrowser } from "@/lib/client/use-in-browser";
import { limits } from "@/lib/contract/values";
import { HiddenInput } from "./hidden-input";
import { type Own, useField, useFieldValue } from "./use-field";

type Rest<Element extends "input" | "textarea" | "select"> = Omit<
  ComponentProps<Element>,
  "form" | "name" | "maxLength"
>;

/** What a field is called, and its control's part in the form with what the control is given besides. */
function useLabelled<Name extends string, More extends object>({
  form,
  name,
  label,
  hint,
  limit,
  className,
  ...more
}: Own<Name> & Limited & More) {
  const { register, initial, error, optional } = useField(form, name, label);
  const counted =
    limit === undefined ? (
      hint
    ) : (
      <>
        {hint} <Count form={form} name={name} limit={limit} />
      </>
    );
  return {
    field: { label, hint: counted, error, optional, required: !optional, className },
    control: { ...more, ...register(name), defaultValue: String(initial ?? "") },
  };
}

/** How many characters the contract takes. More can be written, so that nothing pasted is cut without a word. */
type Limited = { limit?: number };

/** How long a text is by the contract's count, once it comes near its limit. */
function Count<Name extends string>({
  form,
  name,
  limit,
}: Pick<Own<Name>, "form" | "name"> & { limit: number }) {
  const { length } = [...String(useFieldValue(form, name) ?? "")];
  if (length < limit * 0.8) return null;
  return (
    <span className={length > limit ? "font-medium text-bad" : undefined}>
      {length} of {limit} characters.
    </span>
  );
}

/** One line of text. */
export function TextField<Name extends string>(props: Own<Name> & Limited & Rest<"input">) {
  const { field, control } = useLabelled(props);
  return (
    <Field {...field}>
      {control.type === "password" ? <HiddenInput {...control} /> : <Input {...control} />}
    </Field>
  );
}

type Labelled<Name extends string> = Omit<Own<Name>, "label"> & Limited & { label?: string };

/** An e-mail address, by default not of the person at the screen. */
export function EmailField<Name extends string>(field: Labelled<Name> & Rest<"input">) {
  const shared = { label: "E-mail", autoComplete: "off", spellCheck: false };
  return <TextField {...shared} {...field} type="email" inputMode="email" />;
}

/** A phone number of a person who is not at the screen. */
export function PhoneField<Name extends string>(field: Labelled<Name> & Rest<"input">) {
  return <TextField label="Phone number" autoComplete="off" {...field} type="tel" />;
}

/** An address of the web. */
export function UrlField<Name extends string>(field: Own<Name> & Rest<"input">) {
  const shared = { placeholder: "https://", autoComplete: "off", spellCheck: false };
  return <TextField {...shared} {...field} type="url" inputMode="url" />;
}

/** The password that its owner has now. */
export function PasswordField<Name extends string>(field: Labelled<Name>) {
  return (
    <TextField label="Your password" {...field} type="password" autoComplete="current-password" />
  );
}

/** Several lines of text. */
export function TextAreaField<Name extends string>(props: Own<Name> & Limited & Rest<"textarea">) {
  const { field, control } = useLabelled(props);
  return (
    <Field {...field}>
      <Textarea {...control} />
    </Field>
  );
}

/** A short note for colleagues. */
export function NoteField<Name extends string>(field: Own<Name>) {
  return <TextAreaField {...field} limit={limits.note} rows={2} />;
}

/** One of several, from a list. `none` is the entry for no choice. */
export function SelectField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
  options,
  none,
  ...rest
}: Own<Name> & { options: readonly Option[]; none?: string } & Rest<"select">) {
  const { field, control } = useLabelled({ form, name, label, hint, className });
  // Hundreds of options would be most of the page; the server sends the chosen one.
  const inBrowser = useInBrowser();
  const shown = inBrowser ? options : options.filter(({ value }) => value === control.defaultValue);
  return (
    <Field {...field}>
      <Select {...rest} {...control}>
        {none === undefined ? null : <option value="">{none}</option>}
        {shown.map(({ value, label: text }) => (
          <option key={value} value={value} suppressHydrationWarning>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  );
}

/** One of a few, all in sight. */
export function RadioField<Name extends string>({
  form,
  name,
  label,
  options,
  className,
}: Own<Name> & { options: readonly (Option & { hint?: string })[] }) {
  const { control, error } = useField(form, name, label);
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <RadioGroup
          legend={label}
          name={name}
          options={options}
          error={error}
          value={field.value}
          onChange={(event) => field.onChange(event.target.value)}
          className={className}
        />
      )}
    />
  );
}

function useTick<Name extends string>({ form, name, label, hint, className }: Own<Name>) {
  const { register, initial, error } = useField(form, name, label);
  return { label, hint, error, className, ...register(name), defaultChecked: initial === true };
}

/** Yes or no, sent with the form. */
export function CheckboxField<Name extends string>(field: Own<Name>) {
  return <Checkbox {...useTick(field)} />;
}

/** On or off, sent with the form. */
export function SwitchField<Name extends string>(field: Own<Name>) {
  return <Switch {...useTick(field)} />;
}
