"use client";

import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";
import { Kbd } from "./kbd";

/** A few words on hover and focus. The element must have its own accessible name: this one only shows. */
export function Tooltip({ text, keys, children }: { text: string; keys?: string; children: ReactElement }) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-60">
          <Base.Popup className="appear flex max-w-64 items-center gap-2 rounded-tag bg-ink px-2 py-1 text-fine text-surface shadow-float">
            {text}
            {keys ? <Kbd keys={keys} /> : null}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
