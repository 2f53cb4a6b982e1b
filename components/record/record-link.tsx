"use client";

import Link from "next/link";
import { cx } from "@/components/ui/cx";
import { useScope } from "@/lib/client/use-scope";

const isId = /^[0-9a-f]{24}$/;

/** A link to another record of this business and mode: `to` is its path inside the console. */
export function RecordLink({ to, text }: { to: string; text: string }) {
  const { path } = useScope();
  return (
    <Link
      prefetch={false}
      href={path(to)}
      className={cx(
        "text-accent underline underline-offset-3",
        isId.test(text) && "font-mono text-fine",
      )}
    >
      {text}
    </Link>
  );
}
