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
import { type Own, useField } from "./use-field";

type Rest<Element extends "input" | "textarea" | "select"> = Omit<
  ComponentProps<Element>,
  "form" | "name"
>;

/** One line of text. */
export function TextField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
  ...rest
}: Own<Name> & Rest<"input">) {
  const { register, error, optional } = useField(form, name, label);
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
export function TextAreaField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
  ...rest
}: Own<Name> & Rest<"textarea">) {
  const { register, error, optional } = useField(form, name, label);
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
  const { register, error, optional } = useField(form, name, label);
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
export function RadioField<Name extends string>({
  form,
  name,
  label,
  options,
  className,
}: Own<Name> & { options: readonly (Option & { hint?: string })[] }) {
  const { control } = useField(form, name, label);
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
export function CheckboxField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
}: Own<Name>) {
  const { register } = useField(form, name, label);
  return <Checkbox label={label} hint={hint} className={className} {...register(name)} />;
}

/** On or off, sent with the form. */
export function SwitchField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
}: Own<Name>) {
  const { register } = useField(form, name, label);
  return <Switch label={label} hint={hint} className={className} {...register(name)} />;
}
