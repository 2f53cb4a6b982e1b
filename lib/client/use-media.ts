"use client";

import { useCallback, useSyncExternalStore } from "react";

/** Whether a media query holds; undefined in what the server draws. */
export function useMedia(query: string): boolean | undefined {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => undefined,
  );
}
