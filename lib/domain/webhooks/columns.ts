import type { WebhookDelivery } from "@/lib/contract/webhooks";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. */
export const deliveryColumns = every<
  Exclude<keyof WebhookDelivery, "business_id" | "redeliverable">
>()([
  "_id",
  "created_at",
  "webhook_endpoint_id",
  "event_id",
  "type",
  "test",
  "status",
  "attempts",
  "last_status_code",
  "last_error",
  "next_attempt_at",
  "delivered_at",
  "updated_at",
]);
