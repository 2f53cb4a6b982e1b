import { expect, test, vi } from "vitest";
import { getLastEdit, getWebhookEndpoint } from "@/lib/contract/operations";
import { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import { answered, drawn } from "@/tests/drawn";
import { EndpointDetail } from "./endpoint-detail";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const endpoint = WebhookEndpoint.parse(WebhookEndpoint.meta()?.examples?.[0]);

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
