import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { cx } from "./cx";

type PageHeaderProps = {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  back?: { href: string; label: string };
  badge?: ReactNode;
  /** Of a list: on a phone it takes one line, so that the rows begin at once. */
  list?: boolean;
};

/** The head of every console page: its one h1, what it is for, and what can be done here. */
export function PageHeader({
  title,
  description,
  actions,
  back,
  badge,
  list = false,
}: PageHeaderProps) {
  return (
    <header data-list={list || undefined} className={cx("mb-5", list && "max-sm:mb-3")}>
      {back ? (
        <Link
          href={back.href}
          className="-ml-1 mb-1.5 inline-flex min-h-6 items-center gap-1.5 rounded-tag px-1 text-fine text-muted hover:text-ink"
        >
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          {back.label}
        </Link>
      ) : null}
      <div
        className={cx(
          "flex flex-wrap items-center justify-between gap-x-6 gap-y-3",
          list && "max-sm:flex-nowrap",
        )}
      >
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-heading font-semibold tracking-[-0.022em] text-balance">{title}</h1>
            {badge}
          </div>
          {description ? (
            <p className={cx("mt-1 max-w-[72ch] text-pretty text-muted", list && "max-sm:sr-only")}>
              {description}
            </p>
          ) : null}
        </div>
        {actions ? (
          <div className={cx("flex flex-wrap gap-2", list && "max-sm:flex-nowrap")}>{actions}</div>
        ) : null}
      </div>
    </header>
  );
}
