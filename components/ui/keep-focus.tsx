"use client";

import { type ReactNode, useLayoutEffect, useRef } from "react";

let left = false;

/**
 * A button or link that is put elsewhere on the page, or is replaced by its like, each time inside a `KeepFocus` of its own: focus goes with it.
 * Otherwise a key pressed at that moment would go nowhere.
 */
export function KeepFocus({ children }: { children: ReactNode }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const here = place.current;
    if (left) here?.querySelector<HTMLElement>("a,button")?.focus();
    left = false;
    // Runs before the element leaves the page, in the same step in which it comes back elsewhere.
    return () => {
      left = here?.contains(document.activeElement) ?? false;
      queueMicrotask(() => (left = false));
    };
  }, []);
  return <span ref={place} className="contents">{children}</span>;
}
