"use client";

import { CalendarDays } from "lucide-react";
import { useState } from "react";
import { later } from "@/lib/client/later";
import { dayOnly } from "@/lib/client/times";
import { useZone, zoneName } from "@/lib/client/use-zone";
import { presetOf, presets, type Range, rememberDays, rememberName } from "@/lib/client/ranges";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Menu, MenuChoice, MenuItem, MenuLine } from "./menu";

type DateRangeProps = {
  label: string;
  from: string;
  to: string;
  onChange: (range: Range) => void;
  /** False where there must be a range. */
  open?: boolean;
};

const RangeDays = later(() => import("./range-days").then((module) => module.RangeDays));

const any = "Any time";

// The address may hold anything: what is no date is shown as it is, and the API says so.
const dayText = (text: string) => (Number.isNaN(Date.parse(text)) ? text : dayOnly(text));

/** Two days of the business's zone (YYYY-MM-DD, both inclusive, "" for open) by preset or by hand. */
export function DateRange({ label, from, to, onChange, open = true }: DateRangeProps) {
  const [asking, setAsking] = useState(false);
  const zone = useZone();
  const ready = presets(new Date(), zone);
  const known = presetOf({ from, to }, new Date(), zone);
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
            if (preset) rememberName(preset);
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
      <Dialog
        title={label}
        description={`Days are in ${zoneName(zone)}.`}
        open={asking}
        onOpenChange={setAsking}
      >
        <RangeDays
          {...{ from, to, open, zone }}
          onChosen={(range) => {
            rememberDays(range);
            onChange(range);
            setAsking(false);
          }}
        />
      </Dialog>
    </>
  );
}
