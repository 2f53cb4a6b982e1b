"use client";

import { useLiveChanges } from "@/lib/client/stream";
import { useScope } from "@/lib/client/use-scope";

/** Keeps what is on screen true; draws nothing. */
export function Live({ since }: { since: string | undefined }) {
  const { business, mode } = useScope();
  useLiveChanges({ business, mode }, since);
  return null;
}
