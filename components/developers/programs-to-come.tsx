import { Loading, Skeleton } from "@/components/ui/skeleton";

/** In place of programs until their script and the ids of this business's records are there. */
export function ProgramsToCome() {
  return (
    <Loading label="Looking for your records">
      <Skeleton className="mb-4 h-9 w-1/2" />
      <Skeleton className="h-40" />
    </Loading>
  );
}
