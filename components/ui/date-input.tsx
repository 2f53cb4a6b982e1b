"use client";

import { CalendarDays } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "./button";
import { Input } from "./fields";

type DateInputProps = {
  kind: "date" | "datetime-local";
  /** What the field shows for its value. */
  shown: string;
  /** What a text means, as the native field has it; undefined for nothing. */
  read: (text: string) => string | undefined;
  /** Whether a text names a day that no calendar has. */
  isNoDay: (text: string) => boolean;
  /** What one may write here. */
  example: string;
  /** Takes what was understood, or the text as it is. */
  onChange: (understood: string | undefined, text: string) => void;
  onBlur?: () => void;
  /** Says what was understood, in whole. */
  says: (understood: string) => string;
};

const lastMoment = { date: "9999-12-31", "datetime-local": "9999-12-31T23:59" };

/** A date as people write it, or chosen in the browser's calendar. Below it says what was understood. */
export function DateInput({
  kind,
  shown,
  read,
  isNoDay,
  example,
  onChange,
  onBlur,
  says,
}: DateInputProps) {
  const calendar = useRef<HTMLInputElement>(null);
  // What is being written; null while the field shows its value.
  const [written, setWritten] = useState<string | null>(null);
  const text = written ?? shown;
  const understood = read(text);
  const write = (next: string) => {
    setWritten(next);
    onChange(read(next), next.trim());
  };
  const settle = () => {
    if (understood !== undefined || text.trim() === "") setWritten(null);
    onBlur?.();
  };
  const choose = () => {
    const input = calendar.current;
    if (!input) return;
    input.value = understood ?? "";
    try {
      input.showPicker();
    } catch {
      // A browser without a calendar to open: the text does it.
      input.parentElement?.querySelector("input")?.focus();
    }
  };
  return (
    <span className="relative block">
      <Input
        value={text}
        onChange={(event) => write(event.target.value)}
        onBlur={settle}
        placeholder={`Such as ${example}`}
        autoComplete="off"
        spellCheck={false}
        className="pr-11"
        suppressHydrationWarning
      />
      <IconButton label="Open calendar" onClick={choose} className="absolute top-[3px] right-[3px]">
        <CalendarDays aria-hidden="true" />
      </IconButton>
      <input
        ref={calendar}
        type={kind}
        max={lastMoment[kind]}
        tabIndex={-1}
        aria-hidden="true"
        className="pointer-events-none absolute top-9 right-8 size-px opacity-0"
        onChange={(event) => {
          if (event.target.value === "") return;
          setWritten(null);
          onChange(event.target.value, event.target.value);
        }}
      />
      <span role="status" className="mt-1 block text-fine text-muted empty:hidden">
        {text.trim() === ""
          ? null
          : understood === undefined
            ? isNoDay(text)
              ? "There is no such day."
              : `Not a date yet. Write the month as a word, such as ${example}.`
            : says(understood)}
      </span>
    </span>
  );
}
