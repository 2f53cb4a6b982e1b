"use client";

import type { ReactNode } from "react";
import { Controller } from "react-hook-form";
import { DateInput } from "@/components/ui/date-input";
import { Field } from "@/components/ui/fields";
import { absoluteTime, dayInWords, dayOnly, momentInWords, momentOf } from "@/lib/client/times";
import { useInBrowser } from "@/lib/client/use-in-browser";
import { zoneName } from "@/lib/client/use-zone";
import { isDay } from "@/lib/client/ranges";
import { exampleDay, isNoDay, readDay, readDayTime, readingIn } from "@/lib/client/written-dates";
import { type Own, useField } from "./use-field";

type Bare = "begin" | "end";
type InputProps = { value: string; onChange: (value: string) => void; onBlur: () => void };

/**
 * A moment in the viewer's zone; the form's value is ISO 8601 in UTC. A day without a time is its end, or its beginning. `past`: what is said of a
 * moment that has passed.
 */
export function MomentField<Name extends string>({
  bare = "end",
  past = "",
  ...own
}: Own<Name> & { bare?: Bare; past?: string }) {
  return (
    <Labelled {...own}>{(input) => <MomentInput {...input} bare={bare} past={past} />}</Labelled>
  );
}

/** A day; the form's value is YYYY-MM-DD. */
export function DayField<Name extends string>(own: Own<Name>) {
  return (
    <Labelled {...own}>
      {({ value, onChange, onBlur }) => (
        <DateInput
          kind="date"
          shown={isDay(value) ? dayOnly(value) : value}
          read={(text) => readDay(text, readingIn(viewersZone()))}
          isNoDay={(text) => isNoDay(text, readingIn(viewersZone()))}
          example={exampleDay(AHEAD)}
          onChange={(day, text) => onChange(day ?? text)}
          onBlur={onBlur}
          says={dayInWords}
        />
      )}
    </Labelled>
  );
}

/** How many days from now the example of a day to come is. */
const AHEAD = 7;

const viewersZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

// What is no moment is kept as it is written, for the contract to refuse.
const isMoment = (value: string) => /^\d{4}-\d\d-\d\dT.*Z$/.test(value);

function MomentInput({
  value,
  onChange,
  onBlur,
  bare,
  past,
}: InputProps & { bare: Bare; past: string }) {
  // The viewer's zone is known in the browser only.
  const zone = useInBrowser() ? viewersZone() : "UTC";
  return (
    <DateInput
      kind="datetime-local"
      shown={isMoment(value) ? absoluteTime(value, zone) : value}
      read={(text) => readDayTime(text, readingIn(zone), bare === "end" ? "23:59" : "00:00")}
      isNoDay={(text) => isNoDay(text, readingIn(zone))}
      example={bare === "end" ? `${exampleDay(AHEAD)}, 18:00` : `${exampleDay(0)}, 09:00`}
      onChange={(local, text) => onChange(local ? momentOf(local) : text)}
      onBlur={onBlur}
      says={(local) => {
        const words = `${momentInWords(momentOf(local))}, ${zoneName(zone)}`;
        return past && Date.parse(momentOf(local)) < Date.now() ? `${words}. ${past}` : words;
      }}
    />
  );
}

function Labelled<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
  children,
}: Own<Name> & { children: (input: InputProps) => ReactNode }) {
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
          {children({
            value: String(field.value ?? ""),
            onChange: field.onChange,
            onBlur: field.onBlur,
          })}
        </Field>
      )}
    />
  );
}
