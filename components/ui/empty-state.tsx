"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { scopeOf, switchScope } from "@/lib/client/scope";
import { CodeBlock } from "./code-block";

type EmptyStateProps = {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  code?: { label: string; text: string };
  icon?: ReactNode;
};

/** Where there is nothing yet: what this is, the one thing to do first, and how a program would do it. */
export function EmptyState({ title, children, action, code, icon }: EmptyStateProps) {
  return (
    <section
      aria-label={title}
      className="guilloche overflow-hidden rounded-card bg-surface shadow-sheet"
    >
      <div className="px-6 py-9 sm:px-10 sm:py-12">
        {icon ? (
          <div
            aria-hidden="true"
            className="mb-4 grid size-11 place-items-center rounded-full bg-accent-soft text-accent [&_svg]:size-5"
          >
            {icon}
          </div>
        ) : null}
        <h2 className="max-w-xl text-title font-semibold tracking-[-0.012em] text-balance">
          {title}
        </h2>
        <div className="mt-2 max-w-xl text-note text-muted">{children}</div>
        <InLiveMode />
        {action ? <div className="mt-5 flex flex-wrap gap-2">{action}</div> : null}
      </div>
      {code ? (
        <div className="torn bg-surface px-6 py-6 sm:px-10">
          <h3 className="mb-2 text-small font-medium">{code.label}</h3>
          <CodeBlock code={code.text} label={code.label} />
        </div>
      ) : null}
    </section>
  );
}

/** Says where the records are that someone has made in test mode and looks for here. */
function InLiveMode() {
  const pathname = usePathname();
  const scope = scopeOf(pathname);
  return scope?.mode === "live" ? (
    <p className="mt-2 max-w-xl text-note text-muted">
      This is live mode. What you made in test mode is kept apart:{" "}
      <Link
        prefetch={false}
        href={switchScope(pathname, { ...scope, mode: "test" })}
        className="text-accent underline underline-offset-3"
      >
        see test mode
      </Link>
      .
    </p>
  ) : null;
}
