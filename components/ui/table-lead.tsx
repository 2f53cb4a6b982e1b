"use client";

import Link from "next/link";
import type { ReactNode } from "react";

export function Lead({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href) return children;
  return (
    <Link
      href={href}
      prefetch={false}
      className="inline-flex min-h-6 max-w-full items-center font-medium underline-offset-3 hover:underline *:min-w-0"
    >
      {children}
    </Link>
  );
}
