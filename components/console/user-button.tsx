"use client";

import { ChevronUp } from "lucide-react";
import type { ComponentProps } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { useMe } from "@/lib/client/use-me";
import { initials } from "./initials";

/** The button that the person's menu hangs on. */
export function UserButton(props: ComponentProps<"button">) {
  const { data: me } = useMe();
  return (
    <button
      type="button"
      {...props}
      className="flex min-h-11 w-full items-center gap-2.5 rounded-control px-2 text-start hover:bg-accent-soft"
    >
      <span
        aria-hidden="true"
        className="grid size-8 shrink-0 place-items-center rounded-full border border-line bg-surface text-fine font-semibold"
      >
        {me ? initials(me.user.name) : ""}
      </span>
      <span className="min-w-0 flex-1">
        <span className="sr-only">Account: {me ? "" : "loading"}</span>
        {me ? (
          <span className="block truncate font-medium">{me.user.name}</span>
        ) : (
          <Skeleton className="my-0.5 w-20" />
        )}
        <span className="block min-h-4.5 truncate text-fine leading-tight text-muted">
          {me?.user.email}
        </span>
      </span>
      <ChevronUp aria-hidden="true" className="size-4 shrink-0 text-muted" />
    </button>
  );
}
