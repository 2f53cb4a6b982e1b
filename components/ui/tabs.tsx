"use client";

import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { cx } from "./cx";

type TabsProps = {
  label: string;
  items: readonly { value: string; label: string; content: ReactNode }[];
  value?: string;
  onChange?: (value: string) => void;
};

const steps: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Panels of which one is seen. Without `value` it keeps its own state. */
export function Tabs({ label, items, value, onChange }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState(items[0]?.value);
  const shown = items.find((tab) => tab.value === (value ?? own)) ?? items[0];
  const choose = (next: string) => {
    setOwn(next);
    onChange?.(next);
  };
  const move = (event: KeyboardEvent) => {
    const at = shown ? items.indexOf(shown) : 0;
    const next = steps[event.key]?.(at, items.length - 1);
    if (next === undefined) return;
    event.preventDefault();
    choose(items[next]?.value ?? "");
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="flex gap-1 overflow-x-auto border-b border-line"
      >
        {items.map((tab) => (
          <button
            key={tab.value}
            id={`${id}-${tab.value}`}
            type="button"
            role="tab"
            aria-selected={tab === shown}
            aria-controls={`${id}-panel`}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => choose(tab.value)}
            onKeyDown={move}
            className={cx(
              "min-h-9 border-b-2 px-3 whitespace-nowrap -outline-offset-2",
              tab === shown
                ? "border-accent font-medium text-ink"
                : "border-transparent text-muted hover:text-ink",
            )}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        key={shown?.value}
        id={`${id}-panel`}
        role="tabpanel"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel without anything to reach in it is reached itself
        tabIndex={0}
        aria-labelledby={shown && `${id}-${shown.value}`}
        className="pt-4"
      >
        {shown?.content}
      </div>
    </>
  );
}
