"use client";

import { LinkButton } from "@/components/ui/link-button";
import { Card } from "@/components/ui/card";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import { connectGateway } from "@/lib/contract/operations";
import type { Mode } from "@/lib/contract/values";

/** Whether nothing can be charged, since live mode has no gateway. Test mode has the simulator. */
export const lacksProvider = (mode: Mode, business: Business): boolean =>
  mode === "live" && !business.live_gateway;

/** Says that in live mode nothing can be charged yet; `what` is what cannot be made, "links". Nothing while it can. */
export function NoProvider({ business, what }: { business: Business; what: string }) {
  const { mode, path } = useScope();
  const { may } = useMembership();
  if (!lacksProvider(mode, business)) return null;
  return (
    <Card className="mb-5">
      <p className="font-medium">No payment provider is connected yet</p>
      <p className="mt-0.5 text-muted">
        Live {what} can be made once one is. Until then, try everything in test mode.
      </p>
      {may(connectGateway) ? (
        <LinkButton href={path("/settings/gateway")} className="mt-3">
          Connect a payment provider
        </LinkButton>
      ) : (
        <p className="mt-2 text-muted">
          An owner or admin can connect one in Settings → Payment provider.
        </p>
      )}
    </Card>
  );
}
