"use client";

import { BellRing } from "lucide-react";
import { useStarting } from "@/components/batches/use-batches";
import { Button } from "@/components/ui/button";
import { useMembership } from "@/lib/client/use-me";
import { createBatch } from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { askable } from "./rules";

/** Reminds the payer of a link. The mail waits half a minute, in which it can be stopped. */
export function RemindButton({ link }: { link: PaymentLink }) {
  const { may } = useMembership();
  const { run, busy } = useStarting(() => undefined);
  if (!askable(link) || !may(createBatch)) return null;
  return (
    <Button
      once
      busy={busy}
      onClick={() => run({ query: {}, body: { action: "remind", ids: [link._id] } })}
    >
      <BellRing aria-hidden="true" className="size-4" />
      Remind
    </Button>
  );
}
