"use client";

import { useState } from "react";
import { Controller } from "react-hook-form";
import { Field, Input } from "@/components/ui/fields";
import { momentOf } from "@/lib/client/times";
import { type Own, useField } from "./use-field";

/** A moment in the viewer's zone; the form's value is ISO 8601 in UTC. */
export function MomentField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
}: Own<Name>) {
  const { error, optional, control } = useField(form, name, label);
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
  // Browsers report no change while the field is incomplete.
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
