"use client";

import { type ReactNode, useEffect, useRef } from "react";
import { useInBrowser } from "@/lib/client/use-in-browser";

const fields = "form :is(input:not([type=checkbox], [type=radio]), select, textarea)";

/** Around the form of a page, which opens with the focus in its first field. */
export function FirstField({ children }: { children: ReactNode }) {
  const page = useRef<HTMLDivElement>(null);
  // Fields that the server has drawn are disabled until then.
  const ready = useInBrowser();
  useEffect(() => {
    if (ready) page.current?.querySelector<HTMLElement>(fields)?.focus({ preventScroll: true });
  }, [ready]);
  return <div ref={page}>{children}</div>;
}
