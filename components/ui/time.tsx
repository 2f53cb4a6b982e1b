"use client";

import { createContext, use } from "react";
import { absoluteTime, dayOnly, relativeTime, utcTime } from "@/lib/client/times";
import { useInBrowser } from "@/lib/client/use-in-browser";

/** The zone of the moments in a list, so that their days are those of its filters. Without it: the viewer's. */
export const ListZone = createContext<string | undefined>(undefined);

type TimeProps = {
  value: string | null | undefined;
  show?: "moment" | "day" | "relative";
  none?: string;
  className?: string;
};

/** A moment of the API in the viewer's zone, in lists in the business's, UTC on hover; shows `none` without one. */
export function Time({ value, show = "moment", none = "–", className }: TimeProps) {
  // The viewer's zone is known in the browser only: the server's answer speaks UTC.
  const ownZone = useInBrowser() ? undefined : "UTC";
  const zone = use(ListZone) ?? ownZone;
  if (!value) return <span className="text-muted">{none}</span>;
  const text =
    show === "relative"
      ? relativeTime(value, Date.now())
      : show === "day"
        ? dayOnly(value, zone)
        : absoluteTime(value, zone);
  const title =
    show === "relative" ? `${absoluteTime(value, zone)} · ${utcTime(value)}` : utcTime(value);
  return (
    <time
      dateTime={value}
      title={title}
      suppressHydrationWarning
      className={className ?? "whitespace-nowrap"}
    >
      {text}
    </time>
  );
}
