import { expect, test, vi } from "vitest";
import { Mail } from "@/lib/contract/mails";
import {
  getWork,
  listMails,
  listWebhookDeliveries,
  listWebhookEndpoints,
} from "@/lib/contract/operations";
import { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import { WebhookDelivery } from "@/lib/contract/webhooks";
import { WorkState } from "@/lib/contract/work";
import { answered, drawn } from "@/tests/drawn";
import { BackgroundWork } from "./background-work";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const endpoint = WebhookEndpoint.parse(WebhookEndpoint.meta()?.examples?.[0]);
const delivery = WebhookDelivery.parse(WebhookDelivery.meta()?.examples?.[0]);
const mail = Mail.parse(Mail.meta()?.examples?.[0]);
const failed = { query: { status: "failed", per_page: 50 } };

test("what failed for good is offered to be sent again only where the API would do it", () => {
  const html = drawn(<BackgroundWork />, [
    answered(getWork, {}, WorkState.parse(WorkState.meta()?.examples?.[0])),
    answered(listWebhookDeliveries, failed, {
      data: [
        { ...delivery, webhook_endpoint_id: endpoint._id, type: "payment.succeeded" },
        {
          ...delivery,
          _id: "6740f7d01b2c9e7a04f3d778",
          webhook_endpoint_id: "6740f7d01b2c9e7a04f3d779",
        },
      ],
    }),
    answered(
      listWebhookEndpoints,
      { query: { status: "enabled", per_page: 50 } },
      { data: [endpoint] },
    ),
    answered(listMails, failed, {
      data: [
        { ...mail, subject: "A receipt", resendable: true },
        { ...mail, _id: "6740f1c39a3be27d51c8e4fa", subject: "A request", resendable: false },
      ],
    }),
  ]);
  for (const title of [delivery.type, "A request"]) expect(html).toContain(title);
  expect(html.match(/aria-label="Resend [^"]+"/g)).toEqual([
    'aria-label="Resend payment.succeeded"',
    'aria-label="Resend A receipt"',
  ]);
});
