"use client";

import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useEndpoint } from "@/lib/client/hooks";
import { getGoLive } from "@/lib/contract/operations";
import { GoLiveSteps } from "./steps";

const POLL_MS = 3_000;

/** The whole list, which checks itself while it is looked at. */
export function GoLivePage() {
  const { data, error, refetch } = useEndpoint(getGoLive, {}, { every: POLL_MS });
  return (
    <>
      <PageHeader
        title="Go live"
        description="What a business needs before it takes real money. Kutip checks each step itself."
      />
      {data ? (
        <Card>
          {data.done ? <p className="mb-2 font-medium">Everything is ready.</p> : null}
          <GoLiveSteps steps={data.steps} />
        </Card>
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Loading label="Loading the list">
          <Skeleton className="h-80" />
        </Loading>
      )}
    </>
  );
}
