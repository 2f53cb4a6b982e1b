"use client";

import Link from "next/link";
import { useScope } from "@/lib/client/use-scope";

/** A link to another record of this business and mode: `to` is its path inside the console. */
export function RecordLink({ to, text }: { to: string; text: string }) {
  const { path } = useScope();
  return <Link href={path(to)} className="text-accent underline underline-offset-3">{text}</Link>;
}
