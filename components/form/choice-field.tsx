"use client";

import { Controller } from "react-hook-form";
import { Combobox } from "@/components/ui/combobox";
import { Field } from "@/components/ui/fields";
import type { Choice } from "@/lib/client/choices";
import { type Own, useField } from "./use-field";

/** One of many, found by typing. `lead` of the choices stand above a line. */
export function ChoiceField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
  ...rest
}: Own<Name> & { choices: readonly Choice[]; lead?: number; placeholder?: string }) {
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
          <Combobox
            {...rest}
            value={String(field.value ?? "")}
            onChange={field.onChange}
            onBlur={field.onBlur}
          />
        </Field>
      )}
    />
  );
}
