"use client";

import { useState } from "react";
import { Controller } from "react-hook-form";
import { type Own, useField } from "@/components/form/use-field";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/fields";
import { accentFor } from "@/lib/kernel/accent";
import { defaultAccent } from "@/lib/kernel/tokens";

const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text);

/** A colour by picking or writing it, and what becomes of it so that text on it can be read. The form's value is `#rrggbb`, or "" for Kutip's own. */
export function AccentField<Name extends string>({ form, name, label }: Own<Name>) {
  const { control, error } = useField(form, name, label);
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => {
        const value = String(field.value ?? "");
        return (
          <Field label={label} optional error={error} hint={<Correction value={value} />}>
            <span className="flex items-center gap-2">
              <input
                type="color"
                aria-label="Pick a colour"
                value={isColor(value) ? value.toLowerCase() : defaultAccent}
                onChange={(event) => field.onChange(event.target.value)}
                className="size-9.5 shrink-0 rounded-control border border-edge bg-surface p-1"
              />
              <Input
                value={value}
                onChange={(event) => field.onChange(event.target.value)}
                onBlur={field.onBlur}
                placeholder={defaultAccent}
                autoComplete="off"
                spellCheck={false}
                className="max-w-36 font-mono"
              />
              {value === "" ? null : (
                <Button size="small" variant="ghost" onClick={() => field.onChange("")}>
                  Use Kutip’s
                </Button>
              )}
            </span>
          </Field>
        );
      }}
    />
  );
}

function Correction({ value }: { value: string }) {
  const [last, setLast] = useState(value);
  // While it is being written the last whole colour goes on being shown.
  if (isColor(value) && value !== last) setLast(value);
  const wanted = value === "" ? defaultAccent : isColor(last) ? last : defaultAccent;
  const { light, dark } = accentFor(wanted);
  const same = light.fill === wanted.toLowerCase() && light.text === wanted.toLowerCase();
  return (
    <>
      {same ? "Readable as it is. " : "Adjusted slightly so that text stays readable. "}
      <span className="whitespace-nowrap">
        On light <Swatch color={light.text} />
      </span>
      ,{" "}
      <span className="whitespace-nowrap">
        on dark <Swatch color={dark.text} />
      </span>
      .
    </>
  );
}

function Swatch({ color }: { color: string }) {
  return (
    <span className="inline-flex items-center gap-1 align-bottom font-mono">
      <span
        aria-hidden="true"
        className="size-3.5 rounded-full ring-1 ring-line ring-inset"
        style={{ backgroundColor: color }}
      />
      {color}
    </span>
  );
}
