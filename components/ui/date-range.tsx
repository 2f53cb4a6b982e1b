"use client";

import { CalendarDays } from "lucide-react";
import { useRef, useState } from "react";
import { dayOnly } from "@/lib/client/times";
import { useZone } from "@/lib/client/use-zone";
import { isDay, presets, type Range } from "@/lib/client/ranges";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Field, Input } from "./fields";
import { Menu, MenuChoice, MenuItem, MenuLine } from "./menu";

type DateRangeProps = {
  label: string;
  from: string;
  to: string;
  onChange: (range: Range) => void;
  /** False where there must be a range. */
  open?: boolean;
};

const any = "Any time";
const lastDay = "9999-12-31";

// The address may hold anything: what is no date is shown as it is, and the API says so.
const dayText = (text: string) => (Number.isNaN(Date.parse(text)) ? text : dayOnly(text));
const dayOf = (text: string) => (isDay(text) ? text : "");

/** Two days of the business's zone (YYYY-MM-DD, both inclusive, "" for open) by preset or by hand. */
export function DateRange({ label, from, to, onChange, open = true }: DateRangeProps) {
  const [asking, setAsking] = useState(false);
  const ready = presets(new Date(), useZone());
  const known = ready.find((preset) => preset.from === from && preset.to === to);
  const shown =
    from === "" && to === ""
      ? any.toLowerCase()
      : (known?.label ?? `${from ? dayText(from) : "…"} to ${to ? dayText(to) : "…"}`);
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button className="font-normal">
            <CalendarDays aria-hidden="true" className="size-4 text-muted" />
            {label}: {shown}
          </Button>
        }
      >
        <MenuChoice
          label={label}
          value={from === "" && to === "" ? "" : (known?.label ?? "own")}
          onChange={(name) => {
            const preset = ready.find((one) => one.label === name);
            onChange(preset ? { from: preset.from, to: preset.to } : { from: "", to: "" });
          }}
          options={[
            ...ready.map(({ label: value }) => ({ value, label: value })),
            ...(open ? [{ value: "", label: any }] : []),
          ]}
        />
        <MenuLine />
        <MenuItem onSelect={() => setAsking(true)}>Choose days…</MenuItem>
      </Menu>
      <Dialog title={label} open={asking} onOpenChange={setAsking}>
        <Days
          {...{ from, to, open }}
          onChosen={(range) => {
            onChange(range);
            setAsking(false);
          }}
        />
      </Dialog>
    </>
  );
}

type DaysProps = { from: string; to: string; open: boolean; onChosen: (range: Range) => void };

function Days({ from, to, open, onChosen }: DaysProps) {
  const [wrong, setWrong] = useState(false);
  const last = useRef<HTMLInputElement>(null);
  const submit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const written = new FormData(event.currentTarget);
    const chosen = { from: String(written.get("from")), to: String(written.get("to")) };
    const backwards = chosen.from !== "" && chosen.to !== "" && chosen.from > chosen.to;
    setWrong(backwards);
    if (backwards) last.current?.focus();
    else onChosen(chosen);
  };
  return (
    <form className="grid items-start gap-4 sm:grid-cols-2" onSubmit={submit}>
      <Field label="From">
        <Input type="date" name="from" max={lastDay} defaultValue={dayOf(from)} required={!open} />
      </Field>
      <Field label="To" error={wrong ? "The last day is before the first." : undefined}>
        <Input
          ref={last}
          type="date"
          name="to"
          max={lastDay}
          defaultValue={dayOf(to)}
          required={!open}
        />
      </Field>
      <Button type="submit" variant="primary" className="sm:col-span-2">
        Show these days
      </Button>
    </form>
  );
}
