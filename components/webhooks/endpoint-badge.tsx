import { Badge } from "@/components/ui/badge";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";

/** Whether an endpoint receives events now. */
export function EndpointBadge({ endpoint }: { endpoint: WebhookEndpoint }) {
  if (endpoint.enabled) return <Badge tone="good">Enabled</Badge>;
  return endpoint.disabled_reason === "gone" ? (
    <Badge tone="bad">Disabled: gone</Badge>
  ) : (
    <Badge>Disabled</Badge>
  );
}
