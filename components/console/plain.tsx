import type { ReactNode } from "react";
import { Mark } from "./mark";

/** A page that says one thing. */
export function Plain({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <main
      id="content"
      tabIndex={-1}
      className="grid min-h-svh place-items-center px-4 py-10 outline-none"
    >
      <div className="guilloche w-full max-w-md overflow-hidden rounded-sheet bg-surface px-6 py-8 shadow-sheet sm:px-9 sm:py-10">
        <Mark className="mb-6 size-9" />
        <h1 className="text-heading font-semibold tracking-[-0.022em] text-balance">{title}</h1>
        <p className="mt-2 text-note text-muted">{children}</p>
        {action ? <div className="mt-6 flex flex-wrap gap-2">{action}</div> : null}
      </div>
    </main>
  );
}
