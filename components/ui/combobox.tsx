"use client";

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { type Choice, findChoices, meantChoice } from "@/lib/client/choices";
import { cx } from "./cx";
import { Input } from "./fields";

type ComboboxProps = {
  /** The value of a choice, or "" for none. */
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  choices: readonly Choice[];
  /** How many of the first choices stand above a line. */
  lead?: number;
  placeholder?: string;
};

const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

/** One of many, found by typing. Text that could mean several choices stays as it is written, and means none. */
export function Combobox({
  value,
  onChange,
  onBlur,
  choices,
  lead = 0,
  placeholder,
}: ComboboxProps) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  // What is being written; null while the field shows its choice.
  const [written, setWritten] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const chosen = choices.find((choice) => choice.value === value);
  const shown = written ?? chosen?.label ?? value;
  const found = open ? findChoices(choices, written ?? "") : [];
  const active = found[Math.min(at, found.length - 1)];
  const lined = open && (written ?? "").trim() === "" ? lead : 0;

  useEffect(() => {
    if (!open) return;
    list.current?.scrollIntoView({ block: "nearest" });
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [open]);

  const begin = () => {
    if (open) return;
    setAt(written === null && chosen ? choices.indexOf(chosen) : 0);
    setOpen(true);
  };
  const choose = (choice: Choice) => {
    setWritten(null);
    setOpen(false);
    if (choice.value !== value) onChange(choice.value);
  };
  const settle = () => {
    setOpen(false);
    if (written === null) return;
    const meant = meantChoice(choices, written);
    if (meant) choose(meant);
    else if (value !== "") onChange("");
  };
  const move = (by: number) => {
    const next = Math.max(0, Math.min(found.length - 1, at + by));
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const by = moves[event.key];
    if (by !== undefined) {
      event.preventDefault();
      if (open) move(by);
      else begin();
    } else if (event.key === "Enter") {
      if (event.ctrlKey || event.metaKey) settle();
      else if (open && active) {
        event.preventDefault();
        choose(active);
      }
    } else if (event.key === "Escape" && (open || written !== null)) {
      // It closes the list and not the dialog around it.
      event.stopPropagation();
      event.nativeEvent.stopImmediatePropagation();
      setWritten(null);
      setOpen(false);
    }
  };
  return (
    <span className="relative block">
      <Input
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? `${id}-list` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={active ? `${id}-${active.value}` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={placeholder}
        value={shown}
        suppressHydrationWarning
        onFocus={(event) => event.target.select()}
        onClick={begin}
        onChange={(event) => {
          setWritten(event.target.value);
          setAt(0);
          setOpen(true);
        }}
        onKeyDown={press}
        onBlur={() => {
          settle();
          onBlur?.();
        }}
      />
      {found.length > 0 ? (
        <ul
          ref={list}
          id={`${id}-list`}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the list of a combobox
          role="listbox"
          aria-label="Choices"
          className="absolute top-full left-0 z-30 mt-1 max-h-64 w-full overflow-y-auto overscroll-contain rounded-control bg-surface p-1 shadow-float"
        >
          {found.map((choice, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
            <li
              key={choice.value}
              id={`${id}-${choice.value}`}
              // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: an entry of a combobox
              role="option"
              tabIndex={-1}
              aria-selected={choice.value === value}
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(choice)}
              className={cx(
                "min-h-8 cursor-pointer rounded-tag px-2.5 py-1.5 text-small",
                choice === active ? "bg-accent-soft" : "hover:bg-sunken",
                choice.value === value && "font-medium",
                index === lined - 1 && "mb-1 rounded-b-none border-b border-line",
              )}
            >
              {choice.label}
            </li>
          ))}
        </ul>
      ) : null}
      <span role="status" className="block text-fine text-muted empty:hidden">
        {written !== null && written.trim() !== "" && findChoices(choices, written).length === 0
          ? `Nothing matches “${written.trim()}”.`
          : null}
      </span>
    </span>
  );
}
