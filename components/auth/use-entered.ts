"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { safeNext } from "@/lib/client/return-address";

/** What happens once somebody is signed in: nothing of before is kept, and they get to where they wanted to be. */
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
