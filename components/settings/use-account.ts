"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { keys } from "@/lib/client/keys";
import { getMe } from "@/lib/contract/operations";

/** The cache key of what a person's account holds beside the contract's endpoints; `useAccountRefresh` asks for it again too. */
export const accountKey = (name: string) => [...keys.tag(null, getMe.tag), name] as const;

/** Asks again for all that is known of the person signed in: who they are, sessions, passkeys. */
export function useAccountRefresh(): () => void {
  const client = useQueryClient();
  return useCallback(
    () => void client.invalidateQueries({ queryKey: keys.tag(null, getMe.tag) }),
    [client],
  );
}
