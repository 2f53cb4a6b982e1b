"use client";

import { Download, Mail, MessageCircle, QrCode, Share2 } from "lucide-react";
import { useState } from "react";
import { AnchorButton, Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Menu, MenuLink } from "@/components/ui/menu";
import { fileAddress } from "@/lib/client/files";
import { notify } from "@/lib/client/notices";
import { useMedia } from "@/lib/client/use-media";
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

/** The phone's own way to share where there is one; else mail and WhatsApp with the address filled in. */
export function ShareButton({ link, ...look }: { link: PaymentLink } & Look) {
  const phone = useMedia("(pointer: coarse)");
  const text = `${link.title}, ${displayAmount(link.amount, link.currency)}: ${link.payment_url}`;
  const native = phone && typeof navigator.share === "function";
  const share = async () => {
    try {
      await navigator.share({
        title: link.title,
        text: displayAmount(link.amount, link.currency),
        url: link.payment_url,
      });
    } catch (error) {
      const closed = error instanceof DOMException && error.name === "AbortError";
      if (!closed)
        notify({
          title: "The phone did not let us share",
          description: "Copy the address instead.",
          tone: "bad",
        });
    }
  };
  const face = (
    <>
      <Share2 aria-hidden="true" className="size-4" />
      Share
    </>
  );
  if (native)
    return (
      <Button {...look} onClick={share}>
        {face}
      </Button>
    );
  return (
    <Menu trigger={<Button {...look}>{face}</Button>}>
      <MenuLink
        external
        href={`mailto:${encodeURIComponent(link.email).replace("%40", "@")}?subject=${encodeURIComponent(link.title)}&body=${encodeURIComponent(text)}`}
        icon={<Mail aria-hidden="true" />}
      >
        E-mail
      </MenuLink>
      <MenuLink
        external
        href={`https://wa.me/?text=${encodeURIComponent(text)}`}
        icon={<MessageCircle aria-hidden="true" />}
      >
        WhatsApp
      </MenuLink>
    </Menu>
  );
}
