"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { cx } from "@/components/ui/cx";
import { useScope } from "@/lib/client/use-scope";

export type SubPage = { path: string; label: string };

/** The pages of a section, the present one marked; the first page's address is the section's own. */
export function SubNav({ label, pages }: { label: string; pages: readonly SubPage[] }) {
  const { path } = useScope();
  const pathname = usePathname();
  const here = [...pages]
    .reverse()
    .find((page) => `${pathname}/`.startsWith(`${path(page.path)}/`));
  const marked = useRef<HTMLAnchorElement>(null);
  // On a phone the list is wider than the screen.
  useEffect(() => {
    if (here) marked.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [here]);
  return (
    <nav aria-label={label} className="mb-6 overflow-x-auto border-b border-line">
      <ul className="flex gap-1">
        {pages.map((page) => {
          const current = page === here;
          return (
            <li key={page.path}>
              <Link
                ref={current ? marked : undefined}
                href={path(page.path)}
                prefetch={false}
                aria-current={current ? "page" : undefined}
                className={cx(
                  "flex min-h-9 items-center border-b-2 px-3 whitespace-nowrap -outline-offset-2",
                  current
                    ? "border-accent font-medium text-ink"
                    : "border-transparent text-muted hover:text-ink",
                )}
              >
                {page.label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
