"use client";

import { Download, QrCode } from "lucide-react";
import { useState } from "react";
import { AnchorButton, Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { ShareAddress } from "@/components/record/share-address";
import { fileAddress } from "@/lib/client/files";
import { useScope } from "@/lib/client/use-scope";
import { getPaymentLinkQrPng, getPaymentLinkQrSvg } from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { displayAmount } from "@/lib/kernel/money";

type Look = { variant?: "quiet" | "ghost"; size?: "regular" | "small" };

/** The QR code of a link, to show to a payer or to print. */
export function QrButton({ link, ...look }: { link: PaymentLink } & Look) {
  const scope = useScope();
  const [open, setOpen] = useState(false);
  const input = { params: { payment_link_id: link._id } };
  const files = {
    svg: fileAddress(getPaymentLinkQrSvg, input, scope),
    png: fileAddress(getPaymentLinkQrPng, input, scope),
  };
  return (
    <>
      <Button {...look} onClick={() => setOpen(true)} aria-haspopup="dialog">
        <QrCode aria-hidden="true" className="size-4" />
        QR code
      </Button>
      <Dialog
        title="QR code"
        description="Opens the payment page on the phone that reads it."
        open={open}
        onOpenChange={setOpen}
        footer={
          <>
            <AnchorButton href={files.svg} download={`${link._id}.svg`}>
              <Download aria-hidden="true" className="size-4" />
              SVG
            </AnchorButton>
            <AnchorButton href={files.png} download={`${link._id}.png`}>
              <Download aria-hidden="true" className="size-4" />
              PNG
            </AnchorButton>
          </>
        }
      >
        <figure className="grid justify-items-center gap-3 text-center">
          {/* biome-ignore lint/performance/noImgElement: drawn by our own server, and there is no image optimiser */}
          <img
            src={files.svg}
            alt={`QR code of the payment link ${link.title}`}
            width={256}
            height={256}
            className="rounded-card bg-white p-2"
          />
          <figcaption>
            <span className="block font-medium" dir="auto">
              {link.title}
            </span>
            <span className="text-muted">{displayAmount(link.amount, link.currency)}</span>
          </figcaption>
        </figure>
      </Dialog>
    </>
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
