"use client";

import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

type TabsProps = { label: string; items: readonly { value: string; label: string; content: ReactNode }[]; value?: string; onChange?: (value: string) => void };

/** Panels of which one is seen. Without `value` it keeps its own state. */
export function Tabs({ label, items, value, onChange }: TabsProps) {
  return (
    <Base.Root defaultValue={value === undefined ? items[0]?.value : undefined} value={value} onValueChange={onChange}>
      <Base.List aria-label={label} className="relative flex gap-1 overflow-x-auto border-b border-line">
        {items.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className="min-h-9 px-3 whitespace-nowrap text-muted hover:text-ink data-active:font-medium data-active:text-ink">
            {tab.label}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-accent transition-[translate,width]" />
      </Base.List>
      {items.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
