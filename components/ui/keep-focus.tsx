"use client";

import { type ReactNode, useLayoutEffect, useRef } from "react";

// Which one held the focus when it left the page: many may be replaced in one step.
let left: string | undefined;

/**
 * A button or link that is put elsewhere on the page, or is replaced by its like, each time inside a `KeepFocus` of the same `id`: focus goes with it.
 * Otherwise a key pressed at that moment would go nowhere.
 */
export function KeepFocus({ id, children }: { id: string; children: ReactNode }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const here = place.current;
    if (left === id) {
      left = undefined;
      here?.querySelector<HTMLElement>("a,button,input")?.focus();
    }
    // Runs before the element leaves the page, in the same step in which it comes back elsewhere.
    return () => {
      if (!here?.contains(document.activeElement)) return;
      left = id;
      queueMicrotask(() => (left = undefined));
    };
  }, [id]);
  return (
    <span ref={place} className="contents">
      {children}
    </span>
  );
}
