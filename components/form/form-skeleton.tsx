import { Loading, Skeleton } from "@/components/ui/skeleton";

/** Holds the place of a form of one or two cards. */
export function FormSkeleton() {
  return (
    <Loading label="Loading the form">
      <div className="grid max-w-3xl gap-5">
        {["a", "b"].map((key) => (
          <div key={key} className="grid gap-5 rounded-card bg-surface p-5 shadow-sheet">
            <Skeleton className="w-1/4" />
            <Skeleton className="h-9 w-full" />
            <Skeleton className="h-9 w-full" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
