"use client";

import type { ReactNode } from "react";
import { useInBrowser } from "@/lib/client/use-in-browser";

/**
 * Disables the buttons and fields that the server draws until React handles them: a press or a text that comes before would be lost. The
 * style sheet shows them as usual.
 */
export function Ready({ children }: { children: ReactNode }) {
  return (
    <fieldset disabled={!useInBrowser()} role="presentation" className="contents">
      {children}
    </fieldset>
  );
}
