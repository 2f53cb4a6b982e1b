"use client";

import { useAction } from "@/lib/client/hooks";
import type { Mail } from "@/lib/contract/mails";
import { resendMail } from "@/lib/contract/operations";
import { useMailNotice } from "./use-mail-notice";

/** Sends a mail again and says what became of it; `onWritten` gets the new mail before lists are read again. */
export function useResend(onWritten?: (mail: Mail) => void) {
  const announce = useMailNotice();
  return useAction(resendMail, {
    keyed: true,
    onSuccess: (mail) => {
      onWritten?.(mail);
      announce(mail.recipient);
    },
  });
}
