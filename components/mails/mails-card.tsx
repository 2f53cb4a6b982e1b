"use client";

import { useState } from "react";
import { ShowAll } from "@/components/record/show-all";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useInBrowser } from "@/lib/client/use-in-browser";
import { useNow } from "@/lib/client/use-now";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { resendMail } from "@/lib/contract/operations";
import { inPlace } from "./in-place";
import { MailBadge } from "./mail-badge";
import { MailPreview } from "./mail-preview";
import { MAX_SHOWN, type MailsOf, type TimelineOfMails, useMails } from "./use-mails";
import { useResend } from "./use-resend";
import { whyUnsent } from "./words";

type MailsCardProps = {
  of: MailsOf;
  /** Read again with the mails, where the page has one that shows them. */
  timeline?: TimelineOfMails;
  title?: string;
  /** When the record was made, ISO 8601: its first mail is written soon after. */
  since?: string | undefined;
};

/** A worker writes a mail within seconds. */
const WRITTEN_MS = 15_000;

/** The mails to the payer about one record, or all to one address: to be read and sent again. */
export function MailsCard({ of, timeline, title = "Mails", since }: MailsCardProps) {
  const { path } = useScope();
  const { may } = useMembership();
  const mails = useMails(of, timeline);
  const [again, setAgain] = useState<readonly string[]>([]);
  const resend = useResend(({ _id }) => setAgain((ids) => [...ids, _id]));
  const [open, setOpen] = useState<string | null>(null);
  const rows = inPlace(mails.data?.data ?? [], again);
  const more = mails.data?.next_page_url != null;
  return (
    <Card title={title} description={more ? `The newest ${MAX_SHOWN}.` : undefined}>
      {mails.isPending ? (
        <Loading label="Loading mails">
          <Skeleton className="w-2/3" />
        </Loading>
      ) : mails.error && !mails.data ? (
        <ErrorState error={mails.error} retry={() => void mails.refetch()} />
      ) : rows.length === 0 ? (
        <NoMail since={since} />
      ) : (
        <ul aria-label="Mails" className="-my-2.5 divide-y divide-line">
          {rows.map((mail) => (
            <li
              key={mail._id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5"
            >
              <div className="min-w-0">
                <p className="font-medium">{mail.subject}</p>
                <p className="mt-0.5 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-fine text-muted">
                  <MailBadge status={mail.status} />
                  <span>{mail.recipient}</span>
                  <Time value={mail.sent_at ?? mail.created_at} />
                </p>
                <p className="mt-1 text-fine text-muted empty:hidden">{whyUnsent(mail)}</p>
              </div>
              <div className="flex gap-2">
                <Button size="small" onClick={() => setOpen(mail._id)} aria-haspopup="dialog">
                  Preview
                </Button>
                {may(resendMail) && mail.resendable ? (
                  <Button
                    size="small"
                    busy={resend.busy}
                    onClick={() => resend.run({ params: { mail_id: mail._id } })}
                  >
                    Resend
                  </Button>
                ) : null}
              </div>
            </li>
          ))}
        </ul>
      )}
      {more ? <ShowAll href={path(`/mails?${new URLSearchParams(of)}`)} /> : null}
      <MailPreview id={open} onClose={() => setOpen(null)} />
    </Card>
  );
}

function NoMail({ since }: Pick<MailsCardProps, "since">) {
  const now = useNow(5_000);
  // Not in what the server draws: the moment may have passed before React takes it over, and both texts must be the same then.
  const inBrowser = useInBrowser();
  const isNew = inBrowser && since !== undefined && now - Date.parse(since) < WRITTEN_MS;
  return <p className="text-muted">{isNew ? "No mail about it yet." : "No mail about it."}</p>;
}
