"use client";

import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { redeliverWebhook } from "@/lib/contract/webhooks";
import { getWork } from "@/lib/contract/work";

/** Sends a delivery again and says so. */
export function useRedeliver() {
  return useAction(redeliverWebhook, {
    invalidates: [getWork],
    onSuccess: ({ type }) => notify({ title: `${type} is on its way again`, tone: "good" }),
  });
}
