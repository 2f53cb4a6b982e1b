"use client";

import { useRef, useState } from "react";
import { isDay, type Range } from "@/lib/client/ranges";
import { dayInWords, dayOnly } from "@/lib/client/times";
import { exampleDay, isNoDay, readDay, readingIn } from "@/lib/client/written-dates";
import { Button } from "./button";
import { DateInput } from "./date-input";
import { Field } from "./fields";

type DaysProps = Range & {
  /** Whether an end may be left open. */
  open: boolean;
  zone: string;
  onChosen: (range: Range) => void;
};
type Name = keyof Range;

const names: readonly Name[] = ["from", "to"];
const labels: Record<Name, string> = { from: "From", to: "To" };

/** Two days of a zone, written or chosen. */
export function RangeDays({ from, to, open, zone, onChosen }: DaysProps) {
  // What the address holds may be no day: it is not shown as one.
  const [days, setDays] = useState({ from: isDay(from) ? from : "", to: isDay(to) ? to : "" });
  const [wrong, setWrong] = useState<Partial<Range>>({});
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    const problems: Partial<Range> = {};
    for (const name of names)
      if (days[name] === "" ? !open : !isDay(days[name]))
        problems[name] = `Write a day, such as ${exampleDay(0)}.`;
    if (!problems.from && !problems.to && days.from && days.to && days.from > days.to)
      problems.to = "The last day is before the first.";
    setWrong(problems);
    const first = names.find((name) => problems[name]);
    if (first)
      form.current?.querySelectorAll<HTMLElement>("input.control")[names.indexOf(first)]?.focus();
    else onChosen(days);
  };
  return (
    <form ref={form} className="grid items-start gap-4 sm:grid-cols-2" onSubmit={submit} noValidate>
      {names.map((name) => (
        <Field key={name} label={labels[name]} error={wrong[name]}>
          <DateInput
            kind="date"
            shown={isDay(days[name]) ? dayOnly(days[name]) : days[name]}
            read={(text) => readDay(text, readingIn(zone))}
            isNoDay={(text) => isNoDay(text, readingIn(zone))}
            example={exampleDay(0)}
            onChange={(day, text) => setDays({ ...days, [name]: day ?? text })}
            says={dayInWords}
          />
        </Field>
      ))}
      <Button type="submit" variant="primary" className="sm:col-span-2">
        Show these days
      </Button>
    </form>
  );
}
