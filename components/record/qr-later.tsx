"use client";

import { Skeleton } from "@/components/ui/skeleton";
import { latePart, useLater } from "@/lib/client/later";
import type { QrPictureProps } from "./qr-picture";

const picture = latePart(() => import("./qr-picture"));

/** A QR code that opens on a page: what draws it is loaded when it is shown, and not with the page. */
export function QrLater(props: QrPictureProps) {
  const part = useLater(picture, true);
  return part ? <part.QrPicture {...props} /> : <Skeleton className={props.className} />;
}
