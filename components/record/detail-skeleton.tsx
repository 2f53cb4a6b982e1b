import { Loading, Skeleton } from "@/components/ui/skeleton";

/** Holds the place of a record's page. */
export function DetailSkeleton() {
  return (
    <Loading>
      <div className="grid gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid gap-5">
          {["h-32", "h-64"].map((height) => (
            <div key={height} className={`rounded-card bg-surface p-5 shadow-sheet ${height}`}>
              <Skeleton className="mb-3 w-1/4" />
              <Skeleton className="w-2/3" />
            </div>
          ))}
        </div>
        <div className="h-80 rounded-card bg-surface p-5 shadow-sheet">
          <Skeleton className="mb-4 h-7 w-1/2" />
          <Skeleton className="mb-3 w-3/4" />
          <Skeleton className="w-2/3" />
        </div>
      </div>
    </Loading>
  );
}
