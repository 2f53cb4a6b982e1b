import type { ReactNode } from "react";
import { cx } from "./cx";

type CardProps = {
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
  flush?: boolean;
  level?: 2 | 3;
  id?: string;
};

/** A sheet on the page. With `title` it is a section with its heading; `flush` leaves out the padding for tables. */
export function Card({
  title,
  description,
  actions,
  children,
  className,
  flush = false,
  level = 2,
  id,
}: CardProps) {
  const Heading = `h${level}` as const;
  const sheet = cx("min-w-0 rounded-card bg-surface shadow-sheet", className);
  if (!title)
    return (
      <div id={id} className={cx(sheet, !flush && "p-5")}>
        {children}
      </div>
    );
  return (
    <section id={id} className={sheet} aria-label={title}>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-5 pt-4.5 pb-3">
        <div className="min-w-0 max-w-prose">
          <Heading className="text-body font-semibold tracking-[-0.01em]">{title}</Heading>
          {description ? <p className="mt-0.5 text-pretty text-muted">{description}</p> : null}
        </div>
        {actions ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
      </header>
      <div className={flush ? undefined : "px-5 pb-5"}>{children}</div>
    </section>
  );
}

/** Label and value pairs of a record. */
export function Facts({
  items,
  className,
}: {
  items: readonly { label: string; value: ReactNode }[];
  className?: string;
}) {
  return (
    <dl className={cx("grid gap-x-6 gap-y-2.5 sm:grid-cols-[8rem_1fr]", className)}>
      {items.map(({ label, value }) => (
        <div key={label} className="flex flex-wrap justify-between gap-x-4 sm:contents">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 font-medium max-sm:text-end">
            {value ?? <span className="font-normal text-muted">–</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
