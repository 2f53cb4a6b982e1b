import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import type { WebhookDelivery } from "@/lib/contract/webhooks";

/** The types that an endpoint receives, in a few words. */
export function typesText({ events }: Pick<WebhookEndpoint, "events">): string {
  if (events.includes("*")) return "All events";
  return events.length === 1 ? (events[0] ?? "") : `${events.length} types of events`;
}

/** What the last attempt came to, in a few words. */
export function lastText({ attempts, last_status_code, last_error }: WebhookDelivery): string {
  if (attempts === 0) return "Not tried yet";
  return last_status_code === null ? (last_error ?? "No answer") : `Answered ${last_status_code}`;
}

export const attemptsText = (attempts: number): string =>
  attempts === 1 ? "1 attempt" : `${attempts} attempts`;
