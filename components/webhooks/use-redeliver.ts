"use client";

import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { getWork, redeliverWebhook } from "@/lib/contract/operations";

/** Sends a delivery again and says so. */
export function useRedeliver() {
  return useAction(redeliverWebhook, {
    invalidates: [getWork],
    onSuccess: ({ type }) => notify({ title: `${type} is on its way again`, tone: "good" }),
  });
}
