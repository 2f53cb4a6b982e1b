"use client";

import { useState } from "react";
import { Controller } from "react-hook-form";
import { type Own, useField } from "@/components/form/use-field";
import { Field, Input } from "@/components/ui/fields";
import { daysFrom, daysText } from "./retry-days";

/** On which days a failed charge is tried again; the form's value is a list of numbers. */
export function RetryDaysField<Name extends string>({ form, name, label, hint }: Own<Name>) {
  const { control, error } = useField(form, name, label);
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Field label={label} hint={hint} error={error}>
          <Days value={field.value} onChange={field.onChange} onBlur={field.onBlur} />
        </Field>
      )}
    />
  );
}

function Days({
  value,
  onChange,
  onBlur,
}: {
  value: unknown;
  onChange: (days: unknown) => void;
  onBlur: () => void;
}) {
  const [text, setText] = useState(daysText(value));
  const write = (next: string) => {
    setText(next);
    onChange(daysFrom(next));
  };
  return (
    <Input
      value={text}
      onChange={(event) => write(event.target.value)}
      onBlur={onBlur}
      inputMode="numeric"
      autoComplete="off"
    />
  );
}
