"use client";

import { CalendarDays } from "lucide-react";
import { useState } from "react";
import { dayOnly } from "@/lib/client/times";
import { presets, type Range } from "@/lib/client/ranges";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Field, Input } from "./fields";
import { Menu, MenuChoice, MenuItem, MenuLine } from "./menu";

type DateRangeProps = {
  label: string;
  from: string;
  to: string;
  onChange: (range: Range) => void;
  /** The zone whose days they are; UTC unless told. */
  timeZone?: string;
  /** False where there must be a range. */
  open?: boolean;
};

const any = "Any time";

/** Two days (YYYY-MM-DD, both inclusive, "" for open) by preset or by hand. */
export function DateRange({ label, from, to, onChange, timeZone, open = true }: DateRangeProps) {
  const [asking, setAsking] = useState(false);
  const ready = presets(new Date(), timeZone);
  const known = ready.find((preset) => preset.from === from && preset.to === to);
  const shown = from === "" && to === "" ? any.toLowerCase() : (known?.label ?? `${from ? dayOnly(from) : "…"} to ${to ? dayOnly(to) : "…"}`);
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
          options={[...ready.map(({ label: value }) => ({ value, label: value })), ...(open ? [{ value: "", label: any }] : [])]}
        />
        <MenuLine />
        <MenuItem onSelect={() => setAsking(true)}>Choose days…</MenuItem>
      </Menu>
      <Dialog title={label} open={asking} onOpenChange={setAsking}>
        <form
          className="grid gap-4 sm:grid-cols-2"
          onSubmit={(event) => {
            event.preventDefault();
            const chosen = new FormData(event.currentTarget);
            onChange({ from: String(chosen.get("from")), to: String(chosen.get("to")) });
            setAsking(false);
          }}
        >
          <Field label="From">
            <Input type="date" name="from" defaultValue={from} required={!open} />
          </Field>
          <Field label="To">
            <Input type="date" name="to" defaultValue={to} required={!open} />
          </Field>
          <Button type="submit" variant="primary" className="sm:col-span-2">
            Show these days
          </Button>
        </form>
      </Dialog>
    </>
  );
}
