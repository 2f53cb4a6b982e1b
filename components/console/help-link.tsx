"use client";

import { CircleHelp } from "lucide-react";
import Link from "next/link";
import { useScope } from "@/lib/client/use-scope";

/** The way to help, beside the person's own menu. */
export function HelpLink() {
  const { path } = useScope();
  return (
    <Link
      href={path("/help")}
      prefetch={false}
      aria-label="Help"
      title="Help"
      className="grid size-11 shrink-0 place-items-center rounded-control text-muted hover:bg-accent-soft hover:text-ink"
    >
      <CircleHelp aria-hidden="true" className="size-5" />
    </Link>
  );
}
