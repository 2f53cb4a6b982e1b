import { RotateCw } from "lucide-react";
import { LinkButton } from "@/components/ui/link-button";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { chargeToken } from "@/lib/contract/operations";
import type { Payment } from "@/lib/contract/payments";

/** Leads to another charge of the saved method that refused this payment. Kutip tries the periods of subscriptions again itself. */
export function ChargeAgain({ payment }: { payment: Payment }) {
  const { path } = useScope();
  const { may } = useMembership();
  const { _id, status, tokenization_id: token, subscription_id: subscription } = payment;
  if (status !== "failed" || token === null || subscription !== null || !may(chargeToken))
    return null;
  return (
    <LinkButton href={path(`/tokens/${token}/charge?again=${_id}`)}>
      <RotateCw aria-hidden="true" className="size-4" />
      Charge again…
    </LinkButton>
  );
}
