import type { GatewayConnection } from "@/lib/contract/gateway-connections";
import { gatewayTitle } from "@/lib/contract/payment-methods";

/** What the operator does with the callback address. `typedSecret`: the secret of callbacks was typed, so the gateway was not asked to call back. */
export function addressStep(
  { gateway, has_webhook_secret }: Pick<GatewayConnection, "gateway" | "has_webhook_secret">,
  typedSecret: boolean,
): string {
  if (gateway === "stripe" && (typedSecret || !has_webhook_secret))
    return "add a webhook endpoint with this address at Stripe:";
  return gateway === "chip"
    ? "for refunds and chargebacks made at CHIP, add a webhook with this address there:"
    : `there is nothing to enter at ${gatewayTitle(gateway)}; it calls back to:`;
}
