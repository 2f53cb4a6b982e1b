"use client";

import { createContext, use } from "react";
import { absoluteTime, dayOnly, relativeTime, utcTime } from "@/lib/client/times";
import { useInBrowser } from "@/lib/client/use-in-browser";
import { useZone } from "@/lib/client/use-zone";

/** The zone of the moments in a list, so that their days are those of its filters. Without it: the viewer's. */
export const ListZone = createContext<string | undefined>(undefined);

type DayProps = { value: string | null | undefined; none?: string; className?: string };
type TimeProps = DayProps & { show?: "moment" | "relative" };

/** A moment of the API in the viewer's zone, in lists in the business's, UTC on hover; shows `none` without one. */
export function Time({ value, show = "moment", none = "–", className }: TimeProps) {
  // The viewer's zone is known in the browser only: the server's answer speaks UTC.
  const ownZone = useInBrowser() ? undefined : "UTC";
  const zone = use(ListZone) ?? ownZone;
  if (!value) return <span className="text-muted">{none}</span>;
  const text = show === "relative" ? relativeTime(value, Date.now()) : absoluteTime(value, zone);
  const title =
    show === "relative" ? `${absoluteTime(value, zone)} · ${utcTime(value)}` : utcTime(value);
  return <Written value={value} text={text} title={title} className={className} />;
}

/** The day of a moment in the business's zone, which charges and mails go by, for every viewer; a bare day stays itself. */
export function Day({ value, none = "–", className }: DayProps) {
  const zone = useZone();
  if (!value) return <span className="text-muted">{none}</span>;
  const text = dayOnly(value, zone);
  return <Written value={value} text={text} title={utcTime(value)} className={className} />;
}

type WrittenProps = { value: string; text: string; title: string; className: string | undefined };

const Written = ({ value, text, title, className = "whitespace-nowrap" }: WrittenProps) => (
  <time dateTime={value} title={title} suppressHydrationWarning className={className}>
    {text}
  </time>
);
