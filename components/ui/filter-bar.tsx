"use client";

import { ListFilter, Search, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { ListState } from "@/lib/client/list-state";
import { Button, buttonClass } from "./button";
import { type Option, Select } from "./fields";
import { Ready } from "./ready";

const settleMs = 250;
const records = "a[href]:not([download]), [data-row]";
const controls = `${records}, a, button, input, label, select`;

const clearLabel = (
  <>
    <X aria-hidden="true" className="size-3.5" />
    Clear filters
  </>
);
const clearPlace = buttonClass({ variant: "ghost", size: "small" }, "invisible max-sm:hidden");

type FilterBarProps = {
  list: Pick<ListState<string>, "filtered" | "filterCount" | "clear">;
  children: ReactNode;
  end?: ReactNode;
};

/** Search and filters above a list; `end` holds what is done with the filtered rows, such as Export. On a phone all but the search is folded. */
export function FilterBar({ list, children, end }: FilterBarProps) {
  const [open, setOpen] = useState(false);
  return (
    <search data-folded={!open || undefined} className="mb-3 flex flex-wrap items-center gap-2">
      <Ready>
        <Button
          data-kept
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="-order-1 font-normal sm:hidden"
        >
          <ListFilter aria-hidden="true" className="size-4 text-muted" />
          Filters{list.filterCount > 0 ? ` (${list.filterCount})` : ""}
        </Button>
        {/* The search keeps its line while the filters are open. */}
        <span aria-hidden="true" className="-order-1 -mt-2 basis-full sm:hidden" />
        {children}
        {list.filtered ? (
          <Button variant="ghost" size="small" onClick={list.clear}>
            {clearLabel}
          </Button>
        ) : (
          // Its place, so that the buttons behind it do not move.
          <span aria-hidden="true" className={clearPlace}>
            {clearLabel}
          </span>
        )}
        {end ? <div className="ml-auto flex gap-2">{end}</div> : null}
      </Ready>
    </search>
  );
}

/** Filters that go by one press, under one text. */
export type Chip = { names: readonly string[]; text: string };
type FilterChipsProps = {
  chips: readonly Chip[];
  values: Readonly<Record<string, string>>;
  set: (values: Record<string, string>) => void;
};

/** The filters that have no field in sight, as far as they are set: each can be removed. */
export function FilterChips({ chips, values, set }: FilterChipsProps) {
  const shown = chips.filter(({ names }) => names.some((name) => values[name]));
  if (shown.length === 0) return null;
  return (
    // On a line of their own: what is beside the filters stays where it is.
    <div className="order-1 flex basis-full flex-wrap gap-2">
      {shown.map(({ names, text }) => (
        <Button
          key={text}
          size="small"
          aria-label={`Remove filter ${text}`}
          onClick={() => set(Object.fromEntries(names.map((name) => [name, ""])))}
        >
          {text}
          <X aria-hidden="true" className="size-3.5 text-muted" />
        </Button>
      ))}
    </div>
  );
}

type SearchFieldProps = {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
};

/** Text to search for; reported after a pause in typing, or on Enter. */
export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // A record that is pressed meanwhile is opened: a change of the address would stop the way there.
    const drop = ({ target }: MouseEvent) => {
      const pressed = target instanceof Element ? target.closest(controls) : null;
      if (pressed?.matches(records)) clearTimeout(timer.current);
    };
    document.addEventListener("click", drop, true);
    return () => {
      document.removeEventListener("click", drop, true);
      clearTimeout(timer.current);
    };
  }, []);
  // The address changed without us: Back, or "Clear filters".
  useEffect(() => {
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);

  const tell = (next: string) => {
    clearTimeout(timer.current);
    if (next.trim() === told.current) return;
    told.current = next.trim();
    onChange(next.trim());
  };
  const write = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => tell(next), settleMs);
  };
  return (
    <div data-kept className="relative min-w-0 max-sm:-order-2 max-sm:flex-1 sm:w-64">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && tell(text)}
        className="control pl-9"
        spellCheck={false}
        autoComplete="off"
      />
    </div>
  );
}

type FilterSelectProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: readonly Option[];
  any?: string;
};

/** A filter of a few values; its first entry takes it out again. A value that is none of them, such as a deleted package, is shown as set. */
export function FilterSelect({ label, value, onChange, options, any }: FilterSelectProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-auto max-w-48"
      >
        <option value="">{any ?? `${label}: any`}</option>
        {value === "" || options.some((option) => option.value === value) ? null : (
          <option value={value}>{label}: not listed</option>
        )}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </Select>
    </div>
  );
}
