"use client";

import { useSyncExternalStore } from "react";

const never = () => () => undefined;

/** False in what the server sends, until the page's scripts run. */
export const useInBrowser = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
