"use client";

import { Card } from "@/components/ui/card";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";

/** Says that in live mode nothing can be charged yet; `what` is what cannot be made, "links". Nothing while it can. */
export function NoProvider({ business, what }: { business: Business; what: string }) {
  const { mode } = useScope();
  if (mode === "test" || business.live_gateway) return null;
  return (
    <Card className="mb-5">
      <p className="font-medium">No payment provider is connected yet</p>
      <p className="mt-0.5 text-muted">
        Live {what} can be made once one is. Until then, try everything in test mode.
      </p>
    </Card>
  );
}
