"use client";

import { StatusBadge } from "@/components/ui/badge";
import { useMe } from "@/lib/client/use-me";
import type { Mail } from "@/lib/contract/mails";

/** What becomes of a mail: without a mail server one that waits for the worker is not sent either. */
export function useMailStatus(): (status: Mail["status"]) => Mail["status"] {
  const unsent = useMe().data?.sends_mail === false;
  return (status) => (unsent && status === "queued" ? "kept" : status);
}

export function MailBadge({ status }: Pick<Mail, "status">) {
  return <StatusBadge status={useMailStatus()(status)} />;
}
