"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { safeNext } from "@/lib/client/return-address";

/** After a sign-in: clears what was cached before and opens the page that the person wanted. */
export function useEntered(): (next?: string | null) => void {
  const client = useQueryClient();
  const router = useRouter();
  return useCallback(
    (next) => {
      client.clear();
      router.replace(safeNext(next));
    },
    [client, router],
  );
}
