"use client";

import { useAction } from "@/lib/client/hooks";
import { resendMail } from "@/lib/contract/operations";
import { useMailNotice } from "./use-mail-notice";

/** Sends a mail again and says what became of it. */
export function useResend() {
  const announce = useMailNotice();
  return useAction(resendMail, { onSuccess: ({ recipient }) => announce(recipient) });
}
