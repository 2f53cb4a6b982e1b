"use client";

import { useState } from "react";
import { Card } from "@/components/ui/card";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { getGoLive, updateBusiness } from "@/lib/contract/operations";
import { GoLiveSteps } from "./steps";

/** On the overview of those who run the business: what is missing for real money, until nothing is; `open` shows it at once. */
export function GoLiveCard({ open = false }: { open?: boolean }) {
  const { may } = useMembership();
  const [done, setDone] = useState(false);
  const { data } = useEndpoint(getGoLive, {}, done ? {} : { every: 10_000 });
  if (data && data.done !== done) setDone(data.done);
  if (!data || data.done || !may(updateBusiness)) return null;
  const count = data.steps.filter(({ done }) => done).length;
  return (
    <Card title="Go live" description={`${count} of ${data.steps.length} steps are done.`}>
      <details open={open}>
        <summary className="inline-flex min-h-7 items-center rounded-tag px-1 text-accent">
          Show what is missing
        </summary>
        <GoLiveSteps steps={data.steps} />
      </details>
    </Card>
  );
}
