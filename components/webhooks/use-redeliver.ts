"use client";

import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { getWork, listWebhookEndpoints, redeliverWebhook } from "@/lib/contract/operations";
import { webhookLimits } from "@/lib/contract/values";
import type { WebhookDelivery } from "@/lib/contract/webhooks";

/** Sends a delivery again and says so. */
export function useRedeliver() {
  return useAction(redeliverWebhook, {
    invalidates: [getWork],
    onSuccess: ({ type }) => notify({ title: `${type} is on its way again`, tone: "good" }),
  });
}

const enabled = { status: "enabled", per_page: webhookLimits.endpoints } as const;

/** Whether the endpoint of a delivery would take it again: the API refuses one that is disabled or deleted. False until that is known. */
export function useRedeliverable(): (
  delivery: Pick<WebhookDelivery, "webhook_endpoint_id">,
) => boolean {
  const { data } = useEndpoint(listWebhookEndpoints, { query: enabled });
  return ({ webhook_endpoint_id: id }) => data?.data.some(({ _id }) => _id === id) ?? false;
}
