"use client";

import { Send } from "lucide-react";
import { useMailNotice } from "@/components/mails/use-mail-notice";
import { Button } from "@/components/ui/button";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { listMails, sendPaymentLink } from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { payable } from "./rules";

/** The newest mails about a link. */
export const useLinkMails = (id: string) =>
  useEndpoint(listMails, { query: { payment_link_id: id, per_page: 20 } });

/** Mails the link to its payer. */
export function SendButton({ link }: { link: PaymentLink }) {
  const { may } = useMembership();
  const mails = useLinkMails(link._id);
  const announce = useMailNotice();
  const { run, busy } = useAction(sendPaymentLink, {
    invalidates: [listMails],
    onSuccess: ({ email }) => announce(email),
  });
  if (!payable(link) || !may(sendPaymentLink)) return null;
  const before = mails.data?.data.some(
    ({ kind, recipient }) => kind === "payment_link" && recipient === link.email,
  );
  return (
    <Button
      busy={mails.isPending || busy}
      onClick={() => run({ params: { payment_link_id: link._id } })}
    >
      <Send aria-hidden="true" className="size-4" />
      {before ? "Send again" : "Send by e-mail"}
    </Button>
  );
}
