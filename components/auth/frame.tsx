import type { ReactNode } from "react";
import { Mark } from "@/components/console/mark";

type FrameProps = {
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  foot?: ReactNode;
};

/** The ticket around every sign-in page; `foot` goes on its stub. */
export function Frame({ title, description, children, foot }: FrameProps) {
  return (
    <main
      id="content"
      tabIndex={-1}
      className="flex min-h-svh flex-col items-center justify-center px-4 py-10 outline-none"
    >
      <p className="mb-5 flex items-center gap-2.5 text-lead font-semibold tracking-[-0.015em]">
        <Mark className="size-8" />
        Kutip
      </p>
      <div className="w-full max-w-md rounded-sheet bg-surface shadow-sheet">
        <div className="guilloche rounded-t-sheet px-6 pt-7 pb-7 last:rounded-b-sheet sm:px-9 sm:pt-9">
          <h1 className="text-heading font-semibold tracking-[-0.022em] text-balance">{title}</h1>
          {description ? <div className="mt-1.5 text-note text-muted">{description}</div> : null}
          {children ? <div className="mt-6">{children}</div> : null}
        </div>
        {foot ? (
          <div className="torn rounded-b-sheet px-6 py-5 text-muted sm:px-9">{foot}</div>
        ) : null}
      </div>
    </main>
  );
}
