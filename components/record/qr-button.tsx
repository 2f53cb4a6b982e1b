"use client";

import { Download, QrCode } from "lucide-react";
import { useState } from "react";
import { AnchorButton, Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { QrLater } from "./qr-later";

type QrButtonProps = {
  /** What the code leads to. */
  address: string;
  /** Addresses of its files, as drawing and as pixels. */
  files: { svg: string; png: string };
  /** The name of the downloaded files, without their ending. */
  name: string;
  /** What the picture is, for people who do not see it. */
  alt: string;
  description: string;
  title: string;
  text: string;
  variant?: "quiet" | "ghost";
  size?: "regular" | "small";
};

/** The QR code of an address, to show to a payer or to print. */
export function QrButton({
  address,
  files,
  name,
  alt,
  description,
  title,
  text,
  ...look
}: QrButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button {...look} onClick={() => setOpen(true)} aria-haspopup="dialog">
        <QrCode aria-hidden="true" className="size-4" />
        QR code
      </Button>
      <Dialog
        title="QR code"
        description={description}
        open={open}
        onOpenChange={setOpen}
        footer={
          <>
            <AnchorButton href={files.svg} download={`${name}.svg`}>
              <Download aria-hidden="true" className="size-4" />
              SVG
            </AnchorButton>
            <AnchorButton href={files.png} download={`${name}.png`}>
              <Download aria-hidden="true" className="size-4" />
              PNG
            </AnchorButton>
          </>
        }
      >
        <figure className="grid justify-items-center gap-3 text-center">
          <QrLater text={address} alt={alt} className="h-64 w-64 rounded-card p-2" />
          <figcaption>
            <span className="block font-medium" dir="auto" lang="">
              {title}
            </span>
            <span className="text-muted">{text}</span>
          </figcaption>
        </figure>
      </Dialog>
    </>
  );
}
