"use client";

import { zoneName } from "@/lib/client/use-zone";
import { Button } from "./button";
import { Card } from "./card";
import { Loading, Skeleton } from "./skeleton";

type NoResultsProps = {
  clear: () => void;
  zone: string;
  /** Where else to look. */
  hint: string | undefined;
};

export function NoResults({ clear, zone, hint }: NoResultsProps) {
  return (
    <Card className="px-6 py-10 text-center">
      <h2 className="text-lead font-semibold">No results</h2>
      <p className="mt-1 mb-4 text-muted">
        Nothing matches these filters. Days are in {zoneName(zone)}.
        {hint ? <span className="block">{hint}</span> : null}
      </p>
      <Button onClick={clear}>Clear filters</Button>
    </Card>
  );
}

export function PastTheEnd({ back }: { back: () => void }) {
  return (
    <Card className="px-6 py-10 text-center">
      <h2 className="text-lead font-semibold">This page is empty</h2>
      <p className="mt-1 mb-4 text-muted">The list has become shorter.</p>
      <Button onClick={back}>First page</Button>
    </Card>
  );
}

export function TableSkeleton({ label }: { label: string }) {
  return (
    <Loading label={`Loading ${label.toLowerCase()}`}>
      <div className="rounded-card bg-surface p-5 shadow-sheet">
        {["a", "b", "c", "d", "e", "f", "g", "h"].map((key) => (
          <div key={key} className="flex h-11 items-center gap-6">
            <Skeleton className="w-2/5" />
            <Skeleton className="w-1/6" />
            <Skeleton className="ml-auto w-1/5 max-sm:hidden" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
