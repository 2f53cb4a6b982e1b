"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { cx } from "@/components/ui/cx";
import { useScope } from "@/lib/client/use-scope";
import { sectionOf, sections } from "./sections";

/** The list of rooms, the present one marked. */
export function SectionNav({ className }: { className?: string }) {
  const { path } = useScope();
  const here = sectionOf(usePathname());
  return (
    <nav aria-label="Console" className={className}>
      <ul className="grid gap-0.5">
        {sections.map((section) => {
          const current = section === here;
          return (
            <li key={section.label}>
              <Link
                href={path(section.path)}
                prefetch={false}
                aria-current={current ? "page" : undefined}
                className={cx(
                  "flex min-h-9 items-center gap-2.5 rounded-control px-3 transition-colors",
                  current
                    ? "bg-surface font-semibold text-ink shadow-sheet"
                    : "text-muted hover:bg-accent-soft hover:text-ink",
                )}
              >
                <section.icon
                  aria-hidden="true"
                  className={cx("size-4", current && "text-accent")}
                />
                {section.label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
