import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useEndpoint } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { useScope } from "@/lib/client/use-scope";
import type {
  getCustomerTimeline,
  getPaymentLinkTimeline,
  getSubscriptionTimeline,
  getTokenizationTimeline,
} from "@/lib/contract/operations";
import type { Mail } from "@/lib/contract/mails";
import { listMails } from "@/lib/contract/operations";

export type MailsOf =
  | { payment_link_id: string }
  | { subscription_id: string }
  | { tokenization_id: string }
  | { email: string };

/** The endpoint of a timeline that shows the same mails. */
export type TimelineOfMails =
  | typeof getCustomerTimeline
  | typeof getPaymentLinkTimeline
  | typeof getSubscriptionTimeline
  | typeof getTokenizationTimeline;

export const MAX_SHOWN = 20;
/** For `every` of lists of mails: the worker writes a mail a moment after its event, and no event says what becomes of it. */
export const MAILS_POLL_MS = 3_000;

/** For `every` of pages that show what became of mails: no event says it, so they ask while one of them is queued. */
export const whileQueued = (statuses: readonly (Mail["status"] | null)[] | undefined) =>
  statuses?.includes("queued") ? MAILS_POLL_MS : undefined;

/** The newest mails about one record, or to one address. No event says what becomes of a mail, so they and the timeline are read again. */
export function useMails(of: MailsOf, timeline: TimelineOfMails | undefined) {
  const scope = useScope();
  const client = useQueryClient();
  const answer = useEndpoint(
    listMails,
    { query: { ...of, per_page: MAX_SHOWN } },
    { every: MAILS_POLL_MS },
  );
  const states = answer.data?.data.map(({ _id, status }) => `${_id} ${status}`).join();
  const before = useRef(states);
  useEffect(() => {
    if (timeline && before.current !== undefined && before.current !== states)
      void client.invalidateQueries({ queryKey: keys.endpoint(scope, timeline) });
    before.current = states;
  });
  return answer;
}
