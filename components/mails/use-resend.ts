"use client";

import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { resendMail } from "@/lib/contract/operations";

/** Sends a mail again and says so. */
export function useResend() {
  return useAction(resendMail, {
    onSuccess: ({ recipient }) => notify({ title: `On its way to ${recipient}`, tone: "good" }),
  });
}
