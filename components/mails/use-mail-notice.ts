"use client";

import { notify } from "@/lib/client/notices";
import { useMe } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";

const TEAM_ONLY = "In test mode only team members with a confirmed address get mails.";

/** Why mails to payers do not go out; undefined where they do. */
export function useUnsentReason(): string | undefined {
  const { data } = useMe();
  const { mode } = useScope();
  if (data?.sends_mail === false)
    return "This install has no mail server. Mails are kept under Mails.";
  return mode === "test" ? TEAM_ONLY : undefined;
}

/** Says what becomes of a mail that was just written to an address: on its way, or why not. */
export function useMailNotice(): (recipient: string) => void {
  const { data } = useMe();
  const { mode } = useScope();
  return (recipient) =>
    notify(
      data?.sends_mail === false
        ? {
            title: `Not sent to ${recipient}`,
            description: "This install has no mail server. The mail is kept under Mails.",
            tone: "bad",
          }
        : mode === "test"
          ? {
              title: `Mail to ${recipient} is written`,
              description: TEAM_ONLY,
              tone: "good",
            }
          : { title: `On its way to ${recipient}`, tone: "good" },
    );
}
