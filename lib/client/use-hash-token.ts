"use client";

import { useSyncExternalStore } from "react";

const subscribe = (changed: () => void) => {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
};

// Signing in on the way drops the URL fragment; this tab keeps it meanwhile.
function read(keptAs: string | undefined): string | null {
  const given = window.location.hash.slice(1);
  if (!keptAs) return given || null;
  try {
    if (given) window.sessionStorage.setItem(keptAs, given);
    return given || window.sessionStorage.getItem(keptAs);
  } catch {
    return given || null;
  }
}

/**
 * The secret that a mail's link carries behind the hash sign, where no server sees it: null without one, undefined until it is known.
 * With `keptAs` it outlasts a way through other pages of this tab.
 */
export const useHashToken = (keptAs?: string): string | null | undefined =>
  useSyncExternalStore(
    subscribe,
    () => read(keptAs),
    () => undefined,
  );

/** Forgets a kept secret once it is used up. */
export function forgetToken(keptAs: string): void {
  try {
    window.sessionStorage.removeItem(keptAs);
  } catch {
    // Nothing was kept.
  }
}
