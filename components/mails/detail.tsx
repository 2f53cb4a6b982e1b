"use client";

import { RotateCw } from "lucide-react";
import { CustomerLink } from "@/components/record/customer-link";
import { RecordLink } from "@/components/record/record-link";
import { Unloaded } from "@/components/record/unloaded";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import type { MailWithContent } from "@/lib/contract/mails";
import { getMail, resendMail } from "@/lib/contract/operations";
import { aboutPath } from "./list";
import { MailBadge, useMailStatus } from "./mail-badge";
import { MailFrame } from "./mail-frame";
import { whileQueued } from "./use-mails";
import { useResend } from "./use-resend";
import { kindLabel, meaningOf, whyUnsent } from "./words";

/** One mail as the payer sees it, with what became of it. */
export function MailDetail({ id }: { id: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const answer = useEndpoint(
    getMail,
    { params: { mail_id: id } },
    { every: (mail) => whileQueued(mail && [mail.status]) },
  );
  const resend = useResend();
  const statusOf = useMailStatus();
  const mail = answer.data;
  useTitle(mail?.subject, mail?.recipient);
  const back = { href: path("/mails"), label: "Mails" };
  if (!mail) return <Unloaded title="Mail" back={back} answer={answer} />;
  return (
    <>
      <PageHeader
        title={mail.subject}
        badge={<MailBadge status={mail.status} />}
        back={back}
        description={meaningOf({ ...mail, status: statusOf(mail.status) })}
        actions={
          may(resendMail) && mail.resendable ? (
            <Button busy={resend.busy} onClick={() => resend.run({ params: { mail_id: id } })}>
              <RotateCw aria-hidden="true" className="size-4" />
              Resend
            </Button>
          ) : null
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <Card title="As the payer sees it">
          <MailFrame html={mail.html} className="h-[70svh] min-h-96" />
        </Card>
        <Card title="Mail">
          <Facts items={factsOf(mail)} />
        </Card>
      </div>
    </>
  );
}

function factsOf(mail: MailWithContent) {
  const about = aboutPath(mail);
  const why = whyUnsent(mail);
  return [
    { label: "To", value: <CustomerLink email={mail.recipient} /> },
    {
      label: "About",
      value: about ? <RecordLink to={about} text={kindLabel(mail.kind)} /> : kindLabel(mail.kind),
    },
    { label: "Tries", value: String(mail.tries) },
    ...(why ? [{ label: "Why", value: why }] : []),
    ...(mail.resent_from
      ? [
          {
            label: "Repeats",
            value: <RecordLink to={`/mails/${mail.resent_from}`} text="An earlier mail" />,
          },
        ]
      : []),
    { label: "Sent", value: <Time value={mail.sent_at} none="Not sent" /> },
    { label: "Written", value: <Time value={mail.created_at} /> },
    { label: "Id", value: <span className="font-mono text-fine">{mail._id}</span> },
  ];
}
