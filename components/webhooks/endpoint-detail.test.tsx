import { expect, test, vi } from "vitest";
import {
  getLastEdit,
  getWebhookDelivery,
  getWebhookEndpoint,
  listEndpointDeliveries,
} from "@/lib/contract/operations";
import { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import { WebhookDeliveryDetail } from "@/lib/contract/webhooks";
import { answered, drawn } from "@/tests/drawn";
import { DeliveryDetail } from "./delivery-detail";
import { DeliveryList } from "./delivery-list";
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
    expect(html.includes("This was deleted")).toBe(gone);
  },
);

const moment = "2026-11-20T14:03:09.123456Z";
test.each([
  ["pending", 1, "503", null, "The endpoint did not accept it."],
  ["pending", 0, null, null, "It will be sent shortly."],
  ["pending", 1, null, moment, "It will be sent shortly."],
  ["stopped", 1, "503", null, "disabled or deleted before it accepted the event."],
  ["stopped", 1, null, moment, "The endpoint had accepted it before."],
] as const)(
  "a delivery (%s after %s attempts, with the error %s, delivered at %s) says %s",
  (status, attempts, last_error, delivered_at, words) => {
    const html = drawn(<DeliveryDetail id={delivery._id} />, [
      answered(
        getWebhookDelivery,
        { params: { webhook_delivery_id: delivery._id } },
        { ...delivery, status, attempts, last_error, delivered_at, next_attempt_at: moment },
      ),
    ]);
    expect(html).toContain(words);
    expect(html.includes("The endpoint did not accept it.")).toBe(
      words === "The endpoint did not accept it.",
    );
  },
);

test.each([
  ["that the API would send again", true, delivery.body],
  ["whose endpoint is disabled or deleted", false, delivery.body],
  ["whose event is not kept any more", false, null],
])(
  "a delivery %s is offered to be sent again, and says what that does, only where the API would do it",
  (_state, redeliverable, body) => {
    const html = drawn(<DeliveryDetail id={delivery._id} />, [
      answered(
        getWebhookDelivery,
        { params: { webhook_delivery_id: delivery._id } },
        { ...delivery, body, redeliverable, status: "failed", test: false },
      ),
    ]);
    expect(/Resend<\/button>/.test(html)).toBe(redeliverable);
    expect(html).toContain("It was tried for the last time.");
    expect(html.includes("Resend starts a new series of attempts.")).toBe(redeliverable);
    expect(html.includes("What was sent is not kept any more.")).toBe(body === null);
  },
);

test("the list of deliveries has a menu only for those that the API would send again", () => {
  const html = drawn(<DeliveryList endpoint={endpoint} />, [
    answered(
      listEndpointDeliveries,
      { params: { webhook_endpoint_id: endpoint._id }, query: { page: 1, per_page: 15 } },
      {
        data: [
          { ...delivery, type: "payment.succeeded" },
          { ...delivery, _id: "6740f7d01b2c9e7a04f3d778", redeliverable: false },
        ],
      },
    ),
  ]);
  expect(html).toContain(delivery.type);
  expect(html).toContain("Actions for payment.succeeded");
  expect(html).not.toContain(`Actions for ${delivery.type}`);
});
