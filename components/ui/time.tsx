"use client";

import { absoluteTime, dayOnly, relativeTime, utcTime } from "@/lib/client/times";
import { useInBrowser } from "@/lib/client/use-in-browser";

type TimeProps = {
  value: string | null | undefined;
  show?: "moment" | "day" | "relative";
  none?: string;
  className?: string;
};

/** A moment of the API in the viewer's zone, UTC on hover; shows `none` without one. */
export function Time({ value, show = "moment", none = "–", className }: TimeProps) {
  // The viewer's zone is known in the browser only: the server's answer speaks UTC.
  const zone = useInBrowser() ? undefined : "UTC";
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
