"use client";

import { usePathname } from "next/navigation";
import { consolePath, type Scope, scopeOf } from "./scope";

/** Business and mode of this page; null outside any business. */
export function useMaybeScope(): Scope | null {
  return scopeOf(usePathname()) ?? null;
}

/** Business and mode of this console page, and `path("/payment-links")` for addresses inside it. */
export function useScope(): Scope & { path: (path?: string) => string } {
  const scope = useMaybeScope();
  if (!scope) throw new Error("useScope is for pages below /b/[business]/[mode]");
  return { ...scope, path: (path) => consolePath(scope, path) };
}
