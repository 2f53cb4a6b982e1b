import { expect, test, vi } from "vitest";
import {
  getLastEdit,
  getWebhookDelivery,
  getWebhookEndpoint,
  listWebhookEndpoints,
} from "@/lib/contract/operations";
import { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import { WebhookDeliveryDetail } from "@/lib/contract/webhooks";
import { answered, drawn } from "@/tests/drawn";
import { DeliveryDetail } from "./delivery-detail";
import { EndpointDetail } from "./endpoint-detail";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const endpoint = WebhookEndpoint.parse(WebhookEndpoint.meta()?.examples?.[0]);
const delivery = WebhookDeliveryDetail.parse(WebhookDeliveryDetail.meta()?.examples?.[0]);

test.each([true, false])(
  "the page of an endpoint says that the endpoint was deleted only where it was (%s)",
  (gone) => {
    const html = drawn(<EndpointDetail id={endpoint._id} />, [
      answered(
        getWebhookEndpoint,
        { params: { webhook_endpoint_id: endpoint._id } },
        endpoint,
        gone,
      ),
      answered(
        getLastEdit,
        { query: { kind: "webhook_endpoint", id: endpoint._id } },
        { deleted: false },
      ),
    ]);
    expect(html.includes("This was deleted while you had it open")).toBe(gone);
  },
);

test.each([
  ["whose endpoint takes events", [endpoint], delivery.body, true],
  ["whose endpoint is disabled or deleted", [], delivery.body, false],
  ["whose event is not kept any more", [endpoint], null, false],
])(
  "a delivery %s is offered to be sent again, and says what that does, only where the API would do it",
  (_state, data, body, offered) => {
    const html = drawn(<DeliveryDetail id={delivery._id} />, [
      answered(
        getWebhookDelivery,
        { params: { webhook_delivery_id: delivery._id } },
        {
          ...delivery,
          body,
          status: "failed",
          test: false,
          webhook_endpoint_id: endpoint._id,
        },
      ),
      answered(listWebhookEndpoints, { query: { status: "enabled", per_page: 50 } }, { data }),
    ]);
    expect(/Resend<\/button>/.test(html)).toBe(offered);
    expect(html).toContain("It was tried for the last time.");
    expect(html.includes("Resend starts a new series of attempts.")).toBe(offered);
    expect(html.includes("What was sent is not kept any more.")).toBe(body === null);
  },
);
