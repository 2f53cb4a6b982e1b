"use client";

import { useEffect, useState } from "react";
import { ErrorState } from "@/components/ui/error-state";
import { Skeleton } from "@/components/ui/skeleton";
import type * as Picture from "./qr-picture";

/** A QR code that opens on a page: what draws it is loaded when it is shown, and not with the page. */
export function QrLater(props: Picture.QrPictureProps) {
  const [part, setPart] = useState<typeof Picture | "failed">();
  useEffect(() => {
    if (part === undefined) import("./qr-picture").then(setPart, () => setPart("failed"));
  }, [part]);
  if (part === "failed")
    return <ErrorState title="The QR code did not load" retry={() => setPart(undefined)} />;
  return part ? <part.QrPicture {...props} /> : <Skeleton className={props.className} />;
}
