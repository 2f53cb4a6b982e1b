"use client";

import { createContext, use, useSyncExternalStore } from "react";

/** The install's own origin, for what the server draws. */
export const OriginContext = createContext("");

const never = () => () => undefined;

/** The origin of this page, for examples of calls. */
export function useOrigin(): string {
  const configured = use(OriginContext);
  return useSyncExternalStore(
    never,
    () => window.location.origin,
    () => configured,
  );
}
