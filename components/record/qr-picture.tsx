"use client";

import { useMemo } from "react";
import { qrSvg } from "@/components/payer/qr";
import { cx } from "@/components/ui/cx";

export type QrPictureProps = {
  /** What a camera reads from the code. */
  text: string;
  /** What the picture is, for people who do not see it. */
  alt: string;
  /** Its size, in height and width. */
  className: string;
};

/** A QR code, drawn in the browser: many of them need no call that the API could refuse. */
export function QrPicture({ text, alt, className }: QrPictureProps) {
  const source = useMemo(() => `data:image/svg+xml,${encodeURIComponent(qrSvg(text))}`, [text]);
  return (
    // Black on white in every theme: that is what cameras read.
    // biome-ignore lint/performance/noImgElement: the picture is in its own address
    <img alt={alt} src={source} className={cx("bg-white forced-color-adjust-none", className)} />
  );
}
