"use client";

import { type ReactNode, useEffect, useRef } from "react";

const fields = "form :is(input:not([type=checkbox], [type=radio]), select, textarea)";

/** Around the form of a page, which opens with the focus in its first field. */
export function FirstField({ children }: { children: ReactNode }) {
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => {
    page.current?.querySelector<HTMLElement>(fields)?.focus({ preventScroll: true });
  }, []);
  return <div ref={page}>{children}</div>;
}
