"use client";

import { usePathname } from "next/navigation";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { sectionOf } from "./sections";

/** Holds the place of a page: its section's name, and room for what comes, so that nothing below it moves. */
export function PageSkeleton() {
  const title = sectionOf(usePathname())?.label;
  return (
    <Loading>
      <div className="min-h-svh">
        <p className="mb-6 text-heading font-semibold tracking-[-0.022em]">{title ?? " "}</p>
        <div className="grid gap-3 rounded-card bg-surface p-5 shadow-sheet">
          <Skeleton className="w-1/3" />
          <Skeleton className="w-3/4" />
          <Skeleton className="w-1/2" />
        </div>
      </div>
    </Loading>
  );
}
