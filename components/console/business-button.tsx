"use client";

import { ChevronsUpDown } from "lucide-react";
import type { ComponentProps } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { useMembership } from "@/lib/client/use-me";
import { BusinessMark } from "./business-mark";

/** The button that the list of businesses hangs on. */
export function BusinessButton(props: ComponentProps<"button">) {
  const { business: own } = useMembership();
  return (
    <button
      type="button"
      {...props}
      className="flex min-h-11 w-full items-center gap-2.5 rounded-control px-2 text-start hover:bg-accent-soft"
    >
      <BusinessMark name={own?.name} logo={own?.logo} />
      <span className="min-w-0 flex-1">
        <span className="sr-only">Business: {own ? "" : "loading"}</span>
        {own ? (
          <span className="block truncate font-semibold">{own.name}</span>
        ) : (
          <Skeleton className="my-0.5 w-24" />
        )}
        <span className="block min-h-4.5 text-fine leading-tight text-muted capitalize">
          {own?.role}
        </span>
      </span>
      <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
    </button>
  );
}
