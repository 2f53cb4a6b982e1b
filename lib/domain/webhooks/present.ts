import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import type { WebhookDelivery } from "@/lib/contract/webhooks";
import type { ShownDelivery } from "./redeliverable-rows";
import type { DeliveryRow, EndpointRow } from "./rows";

/** An endpoint as the API answers it, without its secret. */
export function presentEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    _id: row.id,
    url: row.url,
    description: row.description,
    events: row.events ?? ["*"],
    enabled: row.enabled,
    disabled_reason: row.disabledReason,
    previous_secret_until: row.previousSecret === null ? null : row.previousUntil,
    earlier_secret_until: row.earlierSecret === null ? null : row.earlierUntil,
    version: row.version,
    business_id: row.businessId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** A delivery as the API answers it. */
export const presentDelivery = (row: ShownDelivery): WebhookDelivery => ({
  ...presentStored(row),
  redeliverable: row.redeliverable,
});

/** The same without what depends on other records. */
export function presentStored(row: DeliveryRow): Omit<WebhookDelivery, "redeliverable"> {
  return {
    _id: row.id,
    webhook_endpoint_id: row.endpointId,
    event_id: row.eventId,
    type: row.eventType,
    test: row.testEvent !== null,
    status: row.status,
    attempts: row.attempts,
    last_status_code: row.lastStatusCode,
    last_error: row.lastError,
    next_attempt_at: row.nextTryAt,
    delivered_at: row.deliveredAt,
    business_id: row.businessId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
