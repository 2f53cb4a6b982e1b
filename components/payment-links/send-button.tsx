"use client";

import { Send } from "lucide-react";
import { useMailNotice } from "@/components/mails/use-mail-notice";
import { Button } from "@/components/ui/button";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { listMails, sendPaymentLink } from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { askable } from "./rules";

/** The newest mails about a link. */
export const useLinkMails = (id: string) =>
  useEndpoint(listMails, { query: { payment_link_id: id, per_page: 20 } });

/** Mails the link to its payer. */
export function SendButton({ link }: { link: PaymentLink }) {
  return <SendKnown link={link} mails={useLinkMails(link._id)} />;
}

type SendKnownProps = {
  link: PaymentLink;
  /** Mails that the link's are among. */
  mails: ReturnType<typeof useLinkMails>;
  /** Set in a list, where each button names its link. */
  size?: "small";
};

/** The same where the mails have been read. */
export function SendKnown({ link, mails, size }: SendKnownProps) {
  const { may } = useMembership();
  const announce = useMailNotice();
  const { run, busy } = useAction(sendPaymentLink, {
    keyed: true,
    invalidates: [listMails],
    onSuccess: ({ email }) => announce(email),
  });
  if (!askable(link) || !may(sendPaymentLink)) return null;
  const before = mails.data?.data.some(
    ({ kind, status, recipient, payment_link_id: id }) =>
      kind === "payment_link" &&
      (status === "sent" || status === "unknown") &&
      recipient === link.email &&
      id === link._id,
  );
  const label = before ? "Send again" : "Send by e-mail";
  return (
    <Button
      size={size}
      aria-label={size && `${label}: ${link.title}`}
      busy={mails.isPending || busy}
      onClick={() => run({ params: { payment_link_id: link._id } })}
    >
      <Send aria-hidden="true" className="size-4" />
      {label}
    </Button>
  );
}
