"use client";

import { Send } from "lucide-react";
import { useResend } from "@/components/mails/use-resend";
import { Button } from "@/components/ui/button";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMembership } from "@/lib/client/use-me";
import type { Mail } from "@/lib/contract/mails";
import { listMails, resendMail, updatePaymentLink } from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { changeable } from "./rules";

/** The newest mails about a link. */
export const useLinkMails = (id: string) =>
  useEndpoint(listMails, { query: { payment_link_id: id, per_page: 20 } });

/** Mails the address to the payer: the mail that was made before, or else a first one. */
export function SendButton({ link }: { link: PaymentLink }) {
  const { may } = useMembership();
  const mails = useLinkMails(link._id);
  const resend = useResend();
  const first = useAction(updatePaymentLink, {
    invalidates: [listMails],
    onSuccess: ({ email }) => notify({ title: `On its way to ${email}`, tone: "good" }),
  });
  if (link.status !== "Active" || !changeable(link) || !may(resendMail)) return null;
  const send = (before: Mail | undefined) => {
    if (before) return resend.run({ params: { mail_id: before._id } });
    const {
      email,
      currency,
      amount,
      title,
      phone_no,
      description,
      redirect_url,
      reference,
      reference_2,
      expires_at,
    } = link;
    const kept = Object.fromEntries(
      Object.entries({
        phone_no,
        description,
        redirect_url,
        reference,
        reference_2,
        expires_at,
      }).filter(([, value]) => value !== null),
    );
    first.run({
      params: { payment_link_id: link._id },
      body: { email, currency, amount, title, ...kept, send_email: true },
    });
  };
  const before = mails.data?.data.find(
    ({ kind, recipient }) => kind === "payment_link" && recipient === link.email,
  );
  return (
    <Button busy={mails.isPending || resend.busy || first.busy} onClick={() => send(before)}>
      <Send aria-hidden="true" className="size-4" />
      {before ? "Send again" : "Send by e-mail"}
    </Button>
  );
}
