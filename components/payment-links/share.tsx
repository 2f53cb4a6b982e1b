"use client";

import { QrButton } from "@/components/record/qr-button";
import { ShareAddress } from "@/components/record/share-address";
import { fileAddress } from "@/lib/client/files";
import { useScope } from "@/lib/client/use-scope";
import { getPaymentLinkQrPng, getPaymentLinkQrSvg } from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { displayAmount } from "@/lib/kernel/money";

type Look = { variant?: "quiet" | "ghost"; size?: "regular" | "small" };

/** The QR code of a link. */
export function LinkQrButton({ link, ...look }: { link: PaymentLink } & Look) {
  const scope = useScope();
  const input = { params: { payment_link_id: link._id } };
  return (
    <QrButton
      {...look}
      address={link.payment_url}
      files={{
        svg: fileAddress(getPaymentLinkQrSvg, input, scope),
        png: fileAddress(getPaymentLinkQrPng, input, scope),
      }}
      name={link._id}
      alt={`QR code of the payment link ${link.title}`}
      description="Opens the payment page on the phone that reads it."
      title={link.title}
      text={displayAmount(link.amount, link.currency)}
    />
  );
}

/** Ways to bring a payment link to its payer. */
export function ShareButton({ link, ...look }: { link: PaymentLink } & Look) {
  const amount = displayAmount(link.amount, link.currency);
  return (
    <ShareAddress
      {...look}
      address={link.payment_url}
      title={link.title}
      text={amount}
      message={`${link.title}, ${amount}: ${link.payment_url}`}
      payer={{ email: link.email, phone: link.phone_no }}
    />
  );
}
