"use client";

import { useLiveChanges } from "@/lib/client/stream";
import { useScope } from "@/lib/client/use-scope";

/** Keeps what is on screen true; draws nothing. */
export function Live() {
  const { business, mode } = useScope();
  useLiveChanges({ business, mode }, true);
  return null;
}
